// How does a command go on for as long as it is wanted? It looks again with each change, until somebody interrupts it.

import type { KubeApi } from '../../kube/api.ts';
import { systemClock } from '../../kube/clock.ts';
import { hasCode, type KubeError } from '../../kube/errors.ts';
import { Watcher, type WatchTarget } from '../../kube/watch.ts';
import type { Terminal } from '../arguments/main.ts';

export function untilInterrupted(): AbortController {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  return ended;
}

/** One look after the other: several changes at once are one look. Whatever a look throws ends it. */
export async function lookAtChanges(
  api: KubeApi,
  target: WatchTarget,
  look: () => Promise<void>,
  ended: AbortController,
  terminal: Terminal,
): Promise<void> {
  let failure: unknown;
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
        failure = error;
        ended.abort();
      });
  };
  // A watch that ran out is no news.
  const onTrouble = (error: KubeError): void => void (hasCode(error, 'Timeout', 'Gone') || terminal.problem(error.message));
  await new Watcher(api, target, { clock: systemClock, onTrouble }, wake).run(ended.signal);
  await looking;
  if (failure !== undefined) throw failure;
}
