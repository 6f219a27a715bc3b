// Why does an experiment with a group end before its last step?

/** The group cannot go on: its message says why. */
export class Stopped extends Error {
  override readonly name: string = 'Stopped';
}

/** Nothing came of a step up to its bound: an operator or the API server may be gone. */
export class TimedOut extends Stopped {
  override readonly name = 'TimedOut';
}

/** The user ended it. */
export class InterruptedByUser extends Error {
  override readonly name = 'InterruptedByUser';
  override readonly message = 'interrupted';
}
