// Within which bounds is the size now? Those of the policy, or of the schedule that was due last.
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { Reason } from '../../core/reason.ts';
import type { LimitReason } from '../reasons.ts';
import type { Timetable } from '../world.ts';
import { inForce } from './schedules.ts';

const MOST_SIZE = 100_000;

type Bound = { readonly value: number; readonly field: string };

export type Bounds = {
  readonly least: Bound;
  readonly most: Bound;
  /** When a schedule set them. */
  readonly sinceMs: number | undefined;
};

export function boundsNow({ policy }: SwarmGroupSpec, timetable: Timetable): Bounds {
  const { type, schedules = [], minReplicas, maxReplicas } = policy;
  const { schedule, sinceMs } = (type !== 'Schedule' && inForce(schedules, timetable)) || {};
  const bound = (field: 'minReplicas' | 'maxReplicas', otherwise: number): Bound => {
    const value = schedule?.[field];
    return value === undefined
      ? { value: otherwise, field: `policy.${field}` }
      : { value, field: `policy.schedules[${schedule?.name}].${field}` };
  };
  return {
    least: bound('minReplicas', minReplicas ?? (type === 'Manual' ? 0 : 1)),
    most: bound('maxReplicas', maxReplicas ?? MOST_SIZE),
    sinceMs,
  };
}

type Bounded = { readonly wanted: number; readonly limit: Reason<LimitReason> | undefined };

export function bounded({ least, most }: Bounds, proposed: number): Bounded {
  if (proposed < least.value) return limited(least, 'AtMinimum', proposed);
  if (proposed > most.value) return limited(most, 'AtMaximum', proposed);
  return { wanted: proposed, limit: undefined };
}

function limited({ value, field }: Bound, reason: LimitReason, proposed: number): Bounded {
  const message = `the size would be ${proposed}; spec.${field} is ${value}`;
  return { wanted: value, limit: { reason, message } };
}
