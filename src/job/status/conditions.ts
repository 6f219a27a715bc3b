// Which conditions does a job have? Each follows from its state.
import { type BlockedBy, blockedConditions } from '../../core/blocked.ts';
import { type Condition, conditionIn, isTrue, type Wanted } from '../../core/conditions.ts';
import type { Situation, State } from '../situation.ts';

const conditionTypes = [
  'Ready',
  'Reconciling',
  'Stalled',
  'Admitted',
  'Running',
  'Suspended',
  'Preempted',
  'Complete',
  'Failed',
  'Finished',
] as const;

type ConditionType = (typeof conditionTypes)[number];

const trueIn: Readonly<Record<Exclude<ConditionType, 'Preempted'>, readonly State[]>> = {
  Ready: ['Running', 'Succeeded'],
  Reconciling: ['Waiting', 'Admitted', 'Starting', 'Suspending'],
  Stalled: ['Failed'],
  Admitted: ['Admitted', 'Starting', 'Running', 'Suspending'],
  Running: ['Running'],
  Suspended: ['Suspended'],
  Complete: ['Succeeded'],
  Failed: ['Failed'],
  Finished: ['Succeeded', 'Failed'],
};

export function jobConditions(
  situation: Situation,
  before?: readonly Condition[],
): readonly Wanted[] {
  const { state, reason, message, isStalled } = situation;
  return conditionTypes.map((type) => {
    if (type === 'Preempted') return preemptedCondition(situation, before);
    const is =
      isStalled === true && (type === 'Stalled' || type === 'Reconciling')
        ? type === 'Stalled'
        : trueIn[type].includes(state);
    return { type, status: is ? 'True' : 'False', reason, message };
  });
}

/** The condition stays until the job is admitted again. */
function preemptedCondition(
  { state, preempted }: Situation,
  before: readonly Condition[] | undefined,
): Wanted {
  const type = 'Preempted';
  if (preempted !== undefined)
    return { type, status: 'True', reason: 'Preempted', message: preempted };
  const last = conditionIn(before, type);
  if (last !== undefined && isTrue(before, type) && IS_OUT.has(state)) return last;
  return { type, status: 'False', reason: 'NotPreempted', message: 'no other job took its place' };
}

const IS_OUT: ReadonlySet<State> = new Set(['Suspended', 'Suspending', 'Waiting']);

export const conditionsWhenBlocked = (blocked: BlockedBy): readonly Wanted[] =>
  blockedConditions(conditionTypes, blocked);
