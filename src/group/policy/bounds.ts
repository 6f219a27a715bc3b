// Which schedule was due last, and which bounds does the size have now?
import { type CronLine, dueAround } from '../../api/cron.ts';
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { Reason } from '../../core/reason.ts';
import type { LimitReason } from '../reasons.ts';
import type { Timetable } from '../world.ts';

const MOST_SIZE = 100_000;

type Bound = { readonly value: number; readonly field: string };

export type Bounds = {
  readonly least: Bound;
  readonly most: Bound;
  /** The time at which a schedule set them. */
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

type Schedule = NonNullable<SwarmGroupSpec['policy']['schedules']>[number];

const keyOf = ({ schedule, timeZone }: CronLine): string => `${timeZone} ${schedule}`;

export function timetableOf(
  schedules: readonly Schedule[],
  before: Timetable,
  now: number,
): Timetable {
  return new Map(
    schedules.flatMap((line) => {
      const key = keyOf(line);
      const known = before.get(key);
      const isStillSo = known !== undefined && known.lastMs <= now && now < known.nextMs;
      const due = isStillSo ? known : dueAround(line, now);
      return due === undefined ? [] : [[key, due] as const];
    }),
  );
}

type InForce = { readonly schedule: Schedule; readonly sinceMs: number };

/** The last in the list, if several were due at once. */
export function inForce(schedules: readonly Schedule[], timetable: Timetable): InForce | undefined {
  return schedules.reduce<InForce | undefined>((newest, schedule) => {
    const due = timetable.get(keyOf(schedule));
    const isNewer = due !== undefined && due.lastMs >= (newest?.sinceMs ?? -Infinity);
    return isNewer ? { schedule, sinceMs: due.lastMs } : newest;
  }, undefined);
}

export function nextDueInMs(timetable: Timetable, now: number): number | undefined {
  const times = [...timetable.values()].map(({ nextMs }) => nextMs - now);
  return times.length === 0 ? undefined : Math.min(...times);
}
