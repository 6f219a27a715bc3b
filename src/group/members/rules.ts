// Which rules apply to a member, and how many replicas do they give it at a size of the group?
import { MEMBER_ANNOTATIONS } from '../../api/member-annotations.ts';
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { MemberRef, MemberRules } from '../world.ts';

/** The rules in the spec or in the member's annotations; memberDefaults provides the others. */
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

/**
 * The fraction `parts` / `unit`: "1.5" is 15 / 10. Binary fractions would round some sizes wrongly.
 */
type Exact = { readonly parts: bigint; readonly unit: bigint };

function exact(decimal: number | string): Exact {
  const [whole = '0', decimals = ''] = String(decimal).split('.');
  return { parts: BigInt(whole + decimals), unit: 10n ** BigInt(decimals.length) };
}

/** The product, rounded up. */
function times(decimal: number | string, count: number): number {
  const { parts, unit } = exact(decimal);
  return Number((parts * BigInt(count) + unit - 1n) / unit);
}

/** ceil(ratio x size), within the member's bounds. */
export const replicasAt = (size: number, rules: MemberRules): number =>
  bounded(times(rules.ratio, size), rules);

export const bounded = (
  replicas: number,
  { minReplicas, maxReplicas }: Pick<MemberRules, 'minReplicas' | 'maxReplicas'>,
): number => Math.min(Math.max(replicas, minReplicas), maxReplicas);

/** The number of these replicas that must be ready. */
export const readyEnough = (replicas: number, { readyFraction }: MemberRules): number =>
  times(readyFraction, replicas);

/** The largest size at which the member has at most this many replicas, without its bounds. */
function largestSizeOf(replicas: number, { ratio }: MemberRules): number {
  const { parts, unit } = exact(ratio);
  return Number((BigInt(replicas) * unit) / parts);
}

/** The smallest size at which the member has at least this many replicas, without its bounds. */
export const sizeOfReplicas = (replicas: number, rules: MemberRules): number =>
  replicas === 0 ? 0 : largestSizeOf(replicas - 1, rules) + 1;

/** The sizes at which the member has exactly this many replicas; undefined: there is none. */
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

type Field = keyof typeof MEMBER_ANNOTATIONS;

type Form = {
  readonly isValid: (text: string) => boolean;
  readonly isAllowed: string;
};

const whole = (most: number): Form => ({
  isValid: (text) => /^\d{1,9}$/.test(text) && Number(text) <= most,
  isAllowed: `a whole number from 0 to ${most}`,
});

/** Nine decimals, as in the spec. */
const decimal = (most: number): Form => ({
  isValid: (text) =>
    /^\d{1,4}([.]\d{1,9})?$/.test(text) && Number(text) > 0 && Number(text) <= most,
  isAllowed: `a number above 0, at most ${most}, with at most nine decimals`,
});

const MOST_REPLICAS = 100_000_000;

const forms: Readonly<Record<Field, Form>> = {
  ratio: decimal(1000),
  stage: whole(99),
  minReplicas: whole(MOST_REPLICAS),
  maxReplicas: whole(MOST_REPLICAS),
  readyFraction: decimal(1),
};

type AnnotatedRules =
  | { readonly ok: true; readonly rules: Partial<MemberRules> }
  | { readonly ok: false; readonly problem: string };

/** An invalid annotation refuses only this member. */
export function annotatedRules(
  annotations: Readonly<Record<string, string>>,
  defaults: Pick<MemberRules, 'minReplicas' | 'maxReplicas'>,
): AnnotatedRules {
  const rules: { -readonly [field in Field]?: number | string } = {};
  for (const [field, name] of Object.entries(MEMBER_ANNOTATIONS) as [Field, string][]) {
    const text = annotations[name];
    if (text === undefined) continue;
    const { isValid, isAllowed } = forms[field];
    if (!isValid(text))
      return { ok: false, problem: `its annotation ${name} is "${text}"; it must be ${isAllowed}` };
    rules[field] = field === 'ratio' || field === 'readyFraction' ? text : Number(text);
  }
  const { minReplicas, maxReplicas } = { ...defaults, ...(rules as Partial<MemberRules>) };
  if (minReplicas > maxReplicas) {
    const [least, most] = [MEMBER_ANNOTATIONS.minReplicas, MEMBER_ANNOTATIONS.maxReplicas];
    const problem = `${least} (${minReplicas}) is larger than ${most} (${maxReplicas}); fields without an annotation come from memberDefaults`;
    return { ok: false, problem };
  }
  return { ok: true, rules: rules as Partial<MemberRules> };
}
