// What blocks an object, and what do its conditions say then? The same for every kind.
import type { Wanted } from './conditions.ts';

/** `isStalled`: a user has to change something; else the operator waits for something to appear. */
export type BlockedBy<Reason extends string = string> = {
  readonly reason: Reason;
  readonly message: string;
  readonly isStalled: boolean;
};

/** A precondition: why it is not met, or nothing. */
export type Check<Facts, Reason extends string = string> = (
  facts: Facts,
) => BlockedBy<Reason> | undefined;

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

/** In the order of the types. A blocked object is not Ready, and nothing else of it is known. */
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
