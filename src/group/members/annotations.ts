// What do the annotations of a selected member say of it? One that says nothing valid refuses the
// member, and no other.
import { MEMBER_ANNOTATIONS } from '../../api/member-annotations.ts';
import type { MemberRules } from '../world.ts';

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
