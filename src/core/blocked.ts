// What is in the way of an object, and what do its conditions say then? The same for every kind.
import type { Wanted } from './conditions.ts';

/** Stalled: until somebody changes something. Otherwise: until something appears or ends. */
export type BlockedBy<Reason extends string = string> = {
  readonly reason: Reason;
  readonly message: string;
  readonly isStalled: boolean;
};

/** A named precondition: why it is not met, or nothing. */
export type Check<Facts, Reason extends string = string> = (
  facts: Facts,
) => BlockedBy<Reason> | undefined;

/** Of checks in order, the first that refuses. */
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

/** Of a kind's conditions, in their order: what is blocked is neither Ready nor observed. */
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
