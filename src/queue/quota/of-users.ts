// How much does each user have in use, in queues with maxPerUser?
import { sum } from '../../core/amounts.ts';
import type { NamespaceWorld, OfUser } from '../world.ts';
import { sharesOf } from './usage.ts';

type Facts = Pick<NamespaceWorld, 'admitted' | 'living' | 'queues' | 'waiting'>;

/** Omits users who only wait: they have nothing in use. */
export function usedByUsers(facts: Facts, userOf: (uid: string) => string): readonly OfUser[] {
  const queues = facts.queues.filter(({ maxPerUser }) => maxPerUser !== undefined);
  if (queues.length === 0) return [];
  const shares = Map.groupBy(sharesOf(facts), ({ queue }) => queue);
  const waiting = Map.groupBy(facts.waiting, ({ queue }) => queue);
  return queues.flatMap(({ name: queue }) => {
    const users = Map.groupBy(shares.get(queue) ?? [], ({ uid }) => userOf(uid));
    const all = new Set([
      ...users.keys(),
      ...(waiting.get(queue) ?? []).map(({ user = '' }) => user),
    ]);
    return [...all].map((user) => ({
      queue,
      user,
      used: sum((users.get(user) ?? []).map(({ amounts }) => amounts)),
    }));
  });
}
