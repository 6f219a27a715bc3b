// How does the page describe workers that are down, as time passes?
import type { PoolDetail } from '../../api/introspection.ts';
import { counted, untilText } from './words.ts';

type DownWorker = PoolDetail['downWorkers']['first'][number];

/**
 * One sentence for a worker: the number of its streams, the cause, and the time until others take
 * over.
 */
export function downWorkerText(
  { streams, why, takeover, takeoverTime }: DownWorker,
  now: number,
): string {
  return [counted(streams, 'stream'), why, takeoverText(takeover, takeoverTime, now)].join(' · ');
}

/** The remaining time, if there is one; otherwise the rule. */
function takeoverText(rule: string, time: string | undefined, now: number): string {
  return time === undefined || Date.parse(time) <= now
    ? rule
    : `other workers take over in ${untilText(time, now)}`;
}
