// How much of a queue's quota is in use? For each job, the requests of its living pods or its
// admitted amounts, whichever is larger.

import { type Amounts, larger, sum } from '../../core/amounts.ts';
import type { NamespaceWorld } from '../world.ts';

type InUse = Pick<NamespaceWorld, 'admitted' | 'living'>;

/** The usage of one job in the quota of its queue. */
type Share = { readonly uid: string; readonly queue: string; readonly amounts: Amounts };

export function sharesOf({ admitted, living }: InUse): readonly Share[] {
  const granted = new Map(admitted.map((job) => [job.uid, job]));
  const alive = Map.groupBy(living, ({ uid }) => uid);
  return [
    ...admitted.map(({ uid, queue, requests }) => ({
      ...{ uid, queue },
      amounts: larger([requests, sum((alive.get(uid) ?? []).map((pods) => pods.requests))]),
    })),
    ...living
      .filter(({ uid }) => !granted.has(uid))
      .map(({ uid, queue, requests }) => ({ uid, queue, amounts: requests })),
  ];
}

/** By the name of the queue. */
export const usageOf = (inUse: InUse): ReadonlyMap<string, Amounts> =>
  new Map(
    [...Map.groupBy(sharesOf(inUse), ({ queue }) => queue)].map(([queue, list]) => [
      queue,
      sum(list.map(({ amounts }) => amounts)),
    ]),
  );
