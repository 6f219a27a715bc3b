// What does the first page show of a pool, of a group, and of a queue?
import type { Group } from '../../api/introspection/groups.ts';
import type { QueueSummary } from '../../api/introspection/queues.ts';
import type { Pool } from '../../api/introspection.ts';
import { groupStandingOf, sizeText } from './groups.ts';
import { standingOf } from './pools.ts';
import { fullestPart, queueStandingOf } from './queues.ts';
import type { Standing } from './standing.ts';
import { counted, numberText } from './words.ts';

export type Card = {
  readonly standing: Standing;
  readonly subtitle: string;
  /** 0 to 1. */
  readonly done: number;
  readonly facts: Readonly<Record<string, string>>;
};

export function poolCard(pool: Pool): Card {
  const { target, converged, desired, version, scaling, isExclusive } = pool;
  const modes = [scaling, isExclusive && 'Exclusive'].filter(Boolean);
  return {
    standing: standingOf(pool),
    subtitle: target === '' ? 'no target yet' : target,
    done: partOf(converged, desired),
    facts: {
      streams: streamsText(pool),
      workers: ofText(converged, desired),
      version: numberText(version),
      mode: modes.join(', ') || 'unknown',
    },
  };
}

export function groupCard(group: Group): Card {
  const { desiredMembers, readyMembers, desiredReplicas, readyReplicas, policy, order } = group;
  return {
    standing: groupStandingOf(group),
    subtitle: [counted(desiredMembers, 'member'), order].filter(Boolean).join(', '),
    done: partOf(readyMembers, desiredMembers),
    facts: {
      size: sizeText(group),
      members: ofText(readyMembers, desiredMembers),
      replicas: ofText(readyReplicas, desiredReplicas),
      policy: policy ?? 'unknown',
    },
  };
}

export function queueCard(queue: QueueSummary): Card {
  const { strategy, admitted, waiting, failed, ranks, readyRanks } = queue;
  const part = fullestPart(queue);
  return {
    standing: queueStandingOf(queue),
    subtitle: strategy ?? 'unknown strategy',
    done: Math.min(1, part),
    facts: {
      admitted: numberText(admitted),
      waiting: numberText(waiting),
      failed: numberText(failed),
      ranks: ofText(readyRanks, ranks),
      'in use': `${Math.round(100 * part)}%`,
    },
  };
}

/** The number of streams, of those that do not run well, and of completed ones. */
const streamsText = (pool: Pool): string =>
  countsText(pool, [
    [pool.down, 'down'],
    [pool.failing, 'failing'],
    [pool.completed, 'completed'],
  ]);

/** Includes the number of suspended streams. */
export const allStreamsText = (pool: Pool): string =>
  countsText(pool, [
    [pool.down, 'down'],
    [pool.failing, 'failing'],
    [pool.suspended, 'suspended'],
    [pool.completed, 'completed'],
  ]);

function countsText(
  { streams }: Pool,
  parts: readonly (readonly [count: number | undefined, word: string])[],
): string {
  // The list cannot be read.
  if (streams === undefined) return 'unknown';
  return [
    numberText(streams),
    ...parts.flatMap(([count = 0, word]) => (count > 0 ? [`${numberText(count)} ${word}`] : [])),
  ].join(', ');
}

export const ofText = (part: number, all: number): string =>
  `${numberText(part)} of ${numberText(all)}`;

const partOf = (part: number, all: number): number => (all === 0 ? 0 : part / all);
