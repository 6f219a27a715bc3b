// Ends the demo early: at a signal, or when the program that started it is gone.
import { setTimeout as delay } from 'node:timers/promises';

export type Interrupt = {
  readonly signal: AbortSignal;
  /** The result of the work, or an `Interrupted` if that comes first. */
  race<T>(work: Promise<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
  /** Ends the demo as a signal does. */
  end(why: string): void;
  stopListening(): void;
};

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_MS = 1_000;

/**
 * The first signal ends the demo in order, the second at once. A killed parent sends no signal, so
 * the demo polls for it.
 */
export function listenForInterrupts(
  onFirst: (why: string) => void,
  onSecond: () => void,
): Interrupt {
  const controller = new AbortController();
  const interrupt = (why: string): void => {
    if (controller.signal.aborted) onSecond();
    else {
      controller.abort(new Interrupted(why));
      onFirst(why);
    }
  };
  const onSignal = (signal: NodeJS.Signals): void =>
    interrupt(signal === 'SIGINT' ? 'Ctrl-C' : signal);
  // Without a terminal a hang-up is ignored: the demo may run under nohup.
  const signals = SIGNALS.filter((signal) => signal !== 'SIGHUP' || process.stdout.isTTY === true);
  for (const signal of signals) process.on(signal, onSignal);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent && !controller.signal.aborted)
      interrupt('the parent process has ended');
  }, PARENT_MS);
  const onBroken = (): void => {
    if (!controller.signal.aborted) interrupt('the output is closed');
  };
  process.stdout.on('error', onBroken);
  return {
    signal: controller.signal,
    race: (work) => race(work, controller.signal),
    sleep: (ms) => race(delay(ms), controller.signal),
    end: interrupt,
    stopListening: () => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });
}
