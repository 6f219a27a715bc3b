// How do conditions change? They are made anew; a transition time changes only with the status.

export type ConditionStatus = 'True' | 'False' | 'Unknown';

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

export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
