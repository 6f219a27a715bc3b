// A queue of work: which keys has it begun, and when?
import { WorkQueue } from '../../../../src/runtime/queue/workqueue.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

export type Work = { readonly key: string; readonly at: number; readonly finish: () => void };

/** Each handling waits until the test finishes it, unless `finish` is automatic. */
export function setUp({
  concurrency = 2,
  byItself = true,
  handle,
  groupOf,
}: {
  concurrency?: number;
  byItself?: boolean;
  groupOf?: (key: string) => string;
  handle?: (key: string) => void;
} = {}) {
  const clock = new VirtualClock();
  const begun: Work[] = [];
  const queue = new WorkQueue({
    clock,
    concurrency,
    ...(groupOf !== undefined && { groupOf }),
    handle: async (key) => {
      const done = Promise.withResolvers<void>();
      begun.push({ key, at: clock.monotonic(), finish: done.resolve });
      handle?.(key);
      if (!byItself) await done.promise;
    },
  });
  const keys = (): readonly string[] => begun.map(({ key }) => key);
  const times = (): readonly number[] => begun.map(({ at }) => at);
  return { clock, queue, begun, keys, times };
}
