// How do conditions change? They are computed anew; the transition time changes only with the
// status.
import type { EventText } from './decision.ts';

type ConditionStatus = 'True' | 'False' | 'Unknown';

export type Condition = {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
};

export type Wanted = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

export function nextConditions(
  previous: readonly Condition[] | undefined,
  wanted: readonly Wanted[],
  generation: number,
  time: string,
): readonly Condition[] {
  const before = new Map(previous?.map((condition) => [condition.type, condition]));
  return wanted.map((condition) => {
    const old = before.get(condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : time;
    return { ...condition, observedGeneration: generation, lastTransitionTime };
  });
}

type Conditions = readonly Condition[] | undefined;

export const conditionIn = (conditions: Conditions, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

export const isTrue = (conditions: Conditions, type: string): boolean =>
  conditionIn(conditions, type)?.status === 'True';

/** Which conditions of a status are new, and which event reports each? */
export class ConditionNews {
  readonly #before: Conditions;
  readonly #after: Conditions;

  constructor(before: Conditions, after: Conditions) {
    this.#before = before;
    this.#after = after;
  }

  /** The condition is True, and was not. */
  became(type: string): boolean {
    return isTrue(this.#after, type) && !isTrue(this.#before, type);
  }

  /** The condition was True, and is False. */
  ceased(type: string): boolean {
    return isTrue(this.#before, type) && conditionIn(this.#after, type)?.status === 'False';
  }

  /** The condition is True, and was not, or had another reason. */
  becameAnew(type: string): boolean {
    const [before, after] = [conditionIn(this.#before, type), conditionIn(this.#after, type)];
    return after?.status === 'True' && (this.became(type) || before?.reason !== after.reason);
  }

  /** The condition has this reason, and had another. */
  changedTo(type: string, reason: string): boolean {
    const [before, after] = [conditionIn(this.#before, type), conditionIn(this.#after, type)];
    return after?.reason === reason && before?.reason !== reason;
  }

  /** An event with the reason and message of the condition. */
  event(type: EventText['type'], action: string, condition: string, reason?: string): EventText {
    const found = conditionIn(this.#after, condition);
    return { type, action, reason: reason ?? found?.reason ?? '', message: found?.message ?? '' };
  }
}
