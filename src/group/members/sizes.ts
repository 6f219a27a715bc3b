// How many replicas does a member have at a size of the group, and how many must be ready?
// ceil(ratio x size) within its bounds, computed exactly: no binary fractions.
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { MemberRef, MemberRules } from '../world.ts';

/** What the spec or its annotations say of this member; the rest by memberDefaults. */
export function rulesOf(
  { members = [], memberDefaults }: SwarmGroupSpec,
  { kind, name }: MemberRef,
  annotated: Partial<MemberRules> = {},
): MemberRules {
  const own = members.find((member) => member.kind === kind && member.name === name);
  const all = { ...memberDefaults, ...annotated, ...own };
  return {
    stage: all.stage,
    ratio: all.ratio,
    minReplicas: all.minReplicas,
    maxReplicas: all.maxReplicas ?? Number.POSITIVE_INFINITY,
    readyFraction: all.readyFraction,
  };
}

/** `parts` of `unit`: "1.5" is 15 of 10. */
type Exact = { readonly parts: bigint; readonly unit: bigint };

function exact(decimal: number | string): Exact {
  const [whole = '0', decimals = ''] = String(decimal).split('.');
  return { parts: BigInt(whole + decimals), unit: 10n ** BigInt(decimals.length) };
}

/** Rounded up. */
function times(decimal: number | string, count: number): number {
  const { parts, unit } = exact(decimal);
  return Number((parts * BigInt(count) + unit - 1n) / unit);
}

export const replicasAt = (size: number, rules: MemberRules): number =>
  bounded(times(rules.ratio, size), rules);

export const bounded = (
  replicas: number,
  { minReplicas, maxReplicas }: Pick<MemberRules, 'minReplicas' | 'maxReplicas'>,
): number => Math.min(Math.max(replicas, minReplicas), maxReplicas);

/** How many of so many replicas must be ready. */
export const readyEnough = (replicas: number, { readyFraction }: MemberRules): number =>
  times(readyFraction, replicas);

/** The largest size at which the member has at most so many replicas, without its bounds. */
function largestSizeOf(replicas: number, { ratio }: MemberRules): number {
  const { parts, unit } = exact(ratio);
  return Number((BigInt(replicas) * unit) / parts);
}

/** The smallest size at which the member has at least so many replicas, without its bounds. */
export const sizeOfReplicas = (replicas: number, rules: MemberRules): number =>
  replicas === 0 ? 0 : largestSizeOf(replicas - 1, rules) + 1;

/** The sizes at which the member has just so many replicas; undefined: there is none. */
export function sizesGiving(
  replicas: number,
  rules: MemberRules,
): { readonly least: number; readonly most: number } | undefined {
  if (replicas !== bounded(replicas, rules)) return undefined;
  const least = replicas === rules.minReplicas ? 0 : sizeOfReplicas(replicas, rules);
  const most =
    replicas === rules.maxReplicas ? Number.POSITIVE_INFINITY : largestSizeOf(replicas, rules);
  return least <= most ? { least, most } : undefined;
}
