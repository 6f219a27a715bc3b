// How does a command follow changes? It looks again at each, until the user interrupts it.
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { systemClock } from '../../runtime/clock.ts';
import { Watcher, type WatchTarget } from '../../runtime/watch/watcher.ts';
import type { Terminal } from '../arguments/terminal.ts';

/** A signal aborts what the action is given; after the action, a signal ends the process again. */
export async function untilInterrupted<T>(act: (ended: AbortController) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, end);
  try {
    return await act(ended);
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

type Interrupts = {
  /** By the first signal. */
  readonly ended: AbortSignal;
  /** By the second. */
  readonly abandoned: AbortSignal;
  readonly release: () => void;
};

/**
 * For a command that has to put something back. A terminal that is gone (SIGHUP, which may come
 * more than once) and a pipe that no process reads any more (SIGPIPE, by all that is still written)
 * end it too, and never at once.
 */
export function interrupts(): Interrupts {
  const [ended, abandoned] = [new AbortController(), new AbortController()];
  const end = (): void => (ended.signal.aborted ? abandoned : ended).abort();
  const endOnce = (): void => ended.abort();
  const handlers = [
    ['SIGINT', end],
    ['SIGTERM', end],
    ['SIGHUP', endOnce],
    ['SIGPIPE', endOnce],
  ] as const;
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return {
    ended: ended.signal,
    abandoned: abandoned.signal,
    release: () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

/** Connections break when a laptop sleeps, and servers restart. */
const AGAIN_MS = 1_000;

/**
 * One look after the other; changes during a look are one more look. An error ends it, unless it is
 * worth a retry; so does a watch that the user may not have, or of a kind that is gone.
 */
export async function lookAtChanges(
  api: KubeApi,
  target: WatchTarget,
  look: () => Promise<void>,
  ended: AbortController,
  terminal: Pick<Terminal, 'problem'>,
): Promise<void> {
  let failure: unknown;
  let told = '';
  let isDue = false;
  let looking = Promise.resolve();
  const wake = (): void => {
    if (isDue) return;
    isDue = true;
    looking = looking
      .then(() => {
        isDue = false;
        return ended.signal.aborted ? undefined : look();
      })
      .catch((error: unknown) => {
        if (error instanceof KubeError && error.verdict === 'retry') {
          tell(error);
          systemClock.after(AGAIN_MS, wake);
          return;
        }
        end(error);
      });
  };
  const end = (error: unknown): void => {
    failure ??= error;
    ended.abort();
  };
  const tell = ({ message }: KubeError): void => {
    if (message !== told) terminal.problem(message);
    told = message;
  };
  // Watches run out all the time.
  const onTrouble = (error: KubeError): void =>
    void (hasCode(error, 'Timeout', 'Gone') || tell(error));
  const onDenied = (denial: KubeError | undefined): void =>
    denial === undefined ? undefined : end(denial);
  const onListed = (): void => {
    told = '';
  };
  const options = { clock: systemClock, onTrouble, onDenied, onListed };
  await new Watcher(api, target, options, wake).run(ended.signal);
  await looking;
  if (failure !== undefined) throw failure;
}
