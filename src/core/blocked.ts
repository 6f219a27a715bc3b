// What blocks an object, and which conditions does a blocked object get? The same for every kind.
import { MOST_PROBLEMS } from '../api/bounds.ts';
import type { Problem } from '../api/own-object.ts';
import type { Wanted } from './conditions.ts';
import type { Refusal } from './decision.ts';

/**
 * `isStalled`: a user has to change something; otherwise the operator waits for something to
 * appear.
 */
export type BlockedBy<Reason extends string = string> = {
  readonly reason: Reason;
  readonly message: string;
  readonly isStalled: boolean;
};

/** A precondition: returns why it is not met, or undefined. */
export type Check<Facts, Reason extends string = string> = (
  facts: Facts,
) => BlockedBy<Reason> | undefined;

/** `why` returns the message of a refusal. A user has to change something. */
export const stalled =
  <Facts, Reason extends string>(reason: Reason, why: Why<Facts>): Check<Facts, Reason> =>
  (facts) =>
    refusedBecause(reason, why(facts), true);

/** The operator waits for something to appear. */
export const waiting =
  <Facts, Reason extends string>(reason: Reason, why: Why<Facts>): Check<Facts, Reason> =>
  (facts) =>
    refusedBecause(reason, why(facts), false);

type Why<Facts> = (facts: Facts) => string | undefined;

const refusedBecause = <Reason extends string>(
  reason: Reason,
  message: string | undefined,
  isStalled: boolean,
): BlockedBy<Reason> | undefined =>
  message === undefined ? undefined : { reason, message, isStalled };

export function firstRefusal<Facts, Reason extends string>(
  checks: readonly Check<Facts, Reason>[],
  facts: Facts,
): BlockedBy<Reason> | undefined {
  for (const check of checks) {
    const blocked = check(facts);
    if (blocked !== undefined) return blocked;
  }
  return undefined;
}

/** The spec contains something that the definition (CRD) does not allow. */
export function invalidSpec(problems: readonly Problem[]): BlockedBy<'InvalidSpec'> {
  const texts = problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) => `${problem.field}: ${problem.message}`);
  return { reason: 'InvalidSpec', message: texts.join('; '), isStalled: true };
}

/**
 * For an observation or a decision that failed. `refused` is undefined after a bug of the operator,
 * whose error message may quote a user's text. `stays` names what goes on meanwhile.
 */
export function decisionFailed(
  what: string,
  refused: Refusal | undefined,
  stays: string,
): BlockedBy<'DecisionFailed'> {
  const why =
    refused === undefined ? "see the operator's log" : `${refused.reason}: ${refused.message}`;
  const message = `the operator could not decide about this ${what} (${why}); ${stays}`;
  return { reason: 'DecisionFailed', message, isStalled: true };
}

/** In the order of the types. Types without a condition are Unknown. */
export function blockedConditions(
  types: readonly string[],
  { reason, message, isStalled }: BlockedBy,
): readonly Wanted[] {
  const known: Readonly<Record<string, boolean>> = {
    Ready: false,
    Reconciling: !isStalled,
    Stalled: isStalled,
  };
  return types.map((type) => {
    const is = Object.hasOwn(known, type) ? known[type] : undefined;
    const status = is === undefined ? 'Unknown' : is ? 'True' : 'False';
    return { type, status, reason, message };
  });
}
