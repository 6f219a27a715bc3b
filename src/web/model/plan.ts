// What does a plan show before a user scales?
import type { Plan, PoolDetail, Share } from '../../api/introspection.ts';
import { counted } from './words.ts';

export type PlanRow = {
  readonly name: string;
  readonly fate: 'stays' | 'joins' | 'goes';
  readonly before: number;
  readonly after: number;
  /** The reserved part of its capacity after the change. */
  readonly load: string;
  /** Relative to the capacity, or to the largest number of streams: 0 to 1. */
  readonly beforeShare: number;
  readonly afterShare: number;
};

export function headlineOf({
  moved,
  started,
  ended,
  stay,
  changes,
  unassigned,
  isComplete,
}: Plan): string {
  if (changes === 0) return 'Nothing would change.';
  const parts = [
    `${counted(moved, 'stream')} would move`,
    ...(started > 0 ? [`${counted(started, 'stream')} would start`] : []),
    ...(ended > 0
      ? [`${counted(ended, 'stream')} would lose ${ended === 1 ? 'its' : 'their'} worker`]
      : []),
    `${counted(stay, 'stream')} would stay`,
    ...(unassigned.total > 0
      ? [`${counted(unassigned.total, 'stream')} would have no worker`]
      : []),
  ];
  return `${parts.join(', ')}${isComplete ? '' : '; more would follow'}.`;
}

/** Bars show the reserved part of the capacity; if nothing is reserved, numbers of streams. */
export function planRows({ workers: { first }, capacity }: Plan): readonly PlanRow[] {
  const isWeighed = first.some(({ before, after }) => (before?.load ?? 0) + (after?.load ?? 0) > 0);
  const most = Math.max(
    1,
    ...first.flatMap(({ before, after }) => [before?.streams ?? 0, after?.streams ?? 0]),
  );
  const shareOf = (share: Share | undefined): number =>
    isWeighed ? Math.min(1, (share?.load ?? 0) / capacity) : (share?.streams ?? 0) / most;
  return first.map(({ name, before, after }) => ({
    name,
    fate: before === undefined ? 'joins' : after === undefined ? 'goes' : 'stays',
    before: before?.streams ?? 0,
    after: after?.streams ?? 0,
    beforeShare: shareOf(before),
    afterShare: shareOf(after),
    load: isWeighed && after !== undefined ? `${after.load} of ${capacity}` : '',
  }));
}

/** The command that scales to this number; empty if no single command does. */
export function commandFor(
  { namespace, name, target, scaling }: PoolDetail,
  workers: number,
): string {
  if (scaling === 'Lead')
    return `kubectl -n ${namespace} scale swarmpool/${name} --replicas=${workers}`;
  if (scaling === 'Auto') return '';
  return /^(StatefulSet|Deployment)\/[^,\s]+$/.test(target)
    ? `kubectl -n ${namespace} scale ${target.toLowerCase()} --replicas=${workers}`
    : '';
}

/** The end of the slider: enough workers for all streams, and some more. */
export const mostWorkers = ({
  desired,
  required,
}: Pick<PoolDetail, 'desired' | 'required'>): number =>
  Math.min(1_000, Math.max(10, desired * 2, required + 2));

/** Streams with these reasons get no worker, however many workers there are. */
const hopelessReasons: ReadonlySet<string> = new Set(['TooHeavy', 'PinnedWorkerCordoned']);

/** Empty if that many workers are desired already, or more workers would not help. */
export function enoughText({
  desired,
  required,
  unassignedStreams: { first },
}: Pick<PoolDetail, 'desired' | 'required' | 'unassignedStreams'>): string {
  if (required <= desired) return '';
  const left = first.filter(({ reason }) => hopelessReasons.has(reason)).length;
  if (left > 0 && left === first.length) return '';
  return `${counted(required, 'worker')} would be enough for ${left === 0 ? 'all streams' : 'the other streams'}. `;
}
