// Why does an experiment with a group end before its last step?

/** The group cannot go on: its message says why. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The user ended it. */
export class InterruptedByUser extends Error {
  override readonly name = 'InterruptedByUser';
  override readonly message = 'interrupted';
}
