// Which conditions does a job have? Each follows from its state.
import { type BlockedBy, blockedConditions } from '../../core/blocked.ts';
import type { Wanted } from '../../core/conditions.ts';
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

const trueIn: Readonly<Record<(typeof conditionTypes)[number], readonly State[]>> = {
  Ready: ['Running', 'Succeeded'],
  Reconciling: ['Waiting', 'Admitted', 'Starting', 'Suspending'],
  Stalled: ['Failed'],
  Admitted: ['Admitted', 'Starting', 'Running', 'Suspending'],
  Running: ['Running'],
  Suspended: ['Suspended'],
  Preempted: [],
  Complete: ['Succeeded'],
  Failed: ['Failed'],
  Finished: ['Succeeded', 'Failed'],
};

export function jobConditions({ state, reason, message, isStalled }: Situation): readonly Wanted[] {
  return conditionTypes.map((type) => {
    if (type === 'Preempted')
      return {
        type,
        status: 'False',
        reason: 'NotPreempted',
        message: 'no other job took its place',
      };
    const is =
      isStalled === true && (type === 'Stalled' || type === 'Reconciling')
        ? type === 'Stalled'
        : trueIn[type].includes(state);
    return { type, status: is ? 'True' : 'False', reason, message };
  });
}

export const conditionsWhenBlocked = (blocked: BlockedBy): readonly Wanted[] =>
  blockedConditions(conditionTypes, blocked);
