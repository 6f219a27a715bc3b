// Which size is the group to have? What its policy proposes, within the bounds.
import type { SwarmGroupSpec } from '../api/validate.ts';
import type { Because } from '../core/because.ts';
import { rulesOf, sizeOfReplicas } from './members/sizes.ts';
import { type GroupWorld, memberName } from './world.ts';

const MOST_SIZE = 100_000;

export type GroupSize = {
  readonly wanted: number;
  /** Before the bounds. */
  readonly proposed: number;
  /** The bound that held it. */
  readonly limit: Because<'AtMinimum' | 'AtMaximum'> | undefined;
};

/** Undefined: spec.replicas is left out, and not taken over yet. */
export function sizeWanted(spec: SwarmGroupSpec): GroupSize | undefined {
  const { replicas: proposed } = spec;
  return proposed === undefined ? undefined : { proposed, ...bounded(proposed, spec) };
}

function bounded(
  proposed: number,
  { policy: { minReplicas, maxReplicas = MOST_SIZE } }: SwarmGroupSpec,
): Pick<GroupSize, 'wanted' | 'limit'> {
  if (proposed < minReplicas)
    return limited(minReplicas, 'AtMinimum', proposed, 'policy.minReplicas');
  if (proposed > maxReplicas)
    return limited(maxReplicas, 'AtMaximum', proposed, 'policy.maxReplicas');
  return { wanted: proposed, limit: undefined };
}

function limited(
  wanted: number,
  reason: 'AtMinimum' | 'AtMaximum',
  proposed: number,
  field: string,
): Pick<GroupSize, 'wanted' | 'limit'> {
  const message = `the size would be ${proposed}; spec.${field} is ${wanted}`;
  return { wanted, limit: { reason, message } };
}

/** What spec.replicas is to be, once: so that the first member keeps what it has. */
export function takenOver({ members }: GroupWorld, spec: SwarmGroupSpec): number | undefined {
  const [first] = members;
  if (first?.found === undefined || first.found.isDeleting) return undefined;
  return Math.min(MOST_SIZE, sizeOfReplicas(first.found.replicas, rulesOf(spec, first)));
}

export const firstMember = ({ members: [first] }: GroupWorld): string =>
  first === undefined ? 'a first member' : memberName(first);
