// Which of the schedules was due last, and when is the next one due?
import { type CronLine, dueAround } from '../../api/cron.ts';
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { Timetable } from '../world.ts';

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

/** Of several that were due at once, the last in the list. */
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
