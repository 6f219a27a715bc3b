// How much of a queue's quota is in use? What its living pods request or its admitted jobs were
// granted, whichever is more.

import { type Amounts, larger, sum } from '../../core/amounts.ts';
import type { NamespaceWorld } from '../world.ts';

/** What is in use of each queue's quota, by the name of the queue. */
export function usageOf({
  admitted,
  living,
}: Pick<NamespaceWorld, 'admitted' | 'living'>): ReadonlyMap<string, Amounts> {
  const granted = new Map(admitted.map((job) => [job.uid, job]));
  const alive = Map.groupBy(living, ({ uid }) => uid);
  const shares = [
    ...admitted.map(({ uid, queue, requests }) => ({
      queue,
      amounts: larger([requests, sum((alive.get(uid) ?? []).map((pods) => pods.requests))]),
    })),
    ...living
      .filter(({ uid }) => !granted.has(uid))
      .map(({ queue, requests }) => ({ queue, amounts: requests })),
  ];
  const byQueue = Map.groupBy(shares, ({ queue }) => queue);
  return new Map(
    [...byQueue].map(([queue, list]) => [queue, sum(list.map(({ amounts }) => amounts))]),
  );
}
