// What is told of the workers that are down, while time passes?
import type { PoolDetail } from '../../api/introspection.ts';
import { counted, untilText } from './words.ts';

type DownWorker = PoolDetail['downWorkers']['first'][number];

/** One sentence for a worker: how many streams, why, and in which time others take over. */
export function downWorkerText(
  { streams, why, takeover, takeoverTime }: DownWorker,
  now: number,
): string {
  return [counted(streams, 'stream'), why, takeoverText(takeover, takeoverTime, now)].join(' · ');
}

/** The time that is left, while it is; else the rule. */
function takeoverText(rule: string, time: string | undefined, now: number): string {
  return time === undefined || Date.parse(time) <= now
    ? rule
    : `other workers take over in ${untilText(time, now)}`;
}
