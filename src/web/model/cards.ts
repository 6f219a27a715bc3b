// What does the first page say of a pool, and of a group?
import type { Group } from '../../api/introspection/groups.ts';
import type { Pool } from '../../api/introspection.ts';
import { groupStandingOf, sizeText } from './groups.ts';
import { standingOf } from './pools.ts';
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
  const { target, streams, converged, desired, version, scaling, isExclusive } = pool;
  const modes = [scaling, isExclusive && 'Exclusive'].filter(Boolean);
  return {
    standing: standingOf(pool),
    subtitle: target === '' ? 'no target yet' : target,
    done: partOf(converged, desired),
    facts: {
      streams: streamsText(streams),
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

/** Undefined: the list cannot be read. */
export const streamsText = (streams: number | undefined): string =>
  streams === undefined ? 'unknown' : numberText(streams);

export const ofText = (part: number, all: number): string =>
  `${numberText(part)} of ${numberText(all)}`;

const partOf = (part: number, all: number): number => (all === 0 ? 0 : part / all);
