// How many replicas does a member have at a size of the group? ceil(ratio x size) within its
// bounds, computed exactly.
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { MemberRef } from '../world.ts';

export type MemberRules = {
  readonly stage: number;
  readonly ratio: number | string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
};

/** What the spec says of this member; the rest by memberDefaults. */
export function rulesOf(
  { members = [], memberDefaults }: SwarmGroupSpec,
  { kind, name }: MemberRef,
): MemberRules {
  const own = members.find((member) => member.kind === kind && member.name === name);
  const all = { ...memberDefaults, ...own };
  return {
    stage: all.stage,
    ratio: all.ratio,
    minReplicas: all.minReplicas,
    maxReplicas: all.maxReplicas ?? Number.POSITIVE_INFINITY,
  };
}

/** Ratios have at most six decimals. */
const UNIT = 1_000_000n;

/** In millionths. 1.1 x 10 is 11: no binary fractions. */
function millionths(ratio: number | string): bigint {
  const [whole = '0', decimals = ''] = String(ratio).split('.');
  return BigInt(whole) * UNIT + BigInt(decimals.padEnd(6, '0'));
}

export function replicasAt(size: number, rules: MemberRules): number {
  const product = millionths(rules.ratio) * BigInt(size);
  return bounded(Number((product + UNIT - 1n) / UNIT), rules);
}

export const bounded = (
  replicas: number,
  { minReplicas, maxReplicas }: Pick<MemberRules, 'minReplicas' | 'maxReplicas'>,
): number => Math.min(Math.max(replicas, minReplicas), maxReplicas);

/** The smallest size at which the member has at least so many replicas, without its bounds. */
export function sizeOfReplicas(replicas: number, { ratio }: MemberRules): number {
  const each = millionths(ratio);
  return Number((BigInt(replicas) * UNIT + each - 1n) / each);
}
