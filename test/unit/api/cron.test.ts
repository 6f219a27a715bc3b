// When is a cron line due by the clock of a zone, over changes of the clock, too? Compared with a
// walk over every minute.
import { describe, expect, it } from '@jest/globals';
import { cronProblem, dueAround } from '../../../src/api/cron.ts';
import { Random } from '../../sim/random.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const at = (text: string): number => Date.parse(text);
const text = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);

describe('the last time until now, and the next one', () => {
  it.each([
    // The clock jumps from 02:00 to 03:00 at 01:00 UTC.
    ['30 2 * * *', 'Europe/Paris', '2026-03-29T00:00Z', '2026-03-28T01:30', '2026-03-29T01:00'],
    ['30 2 * * *', 'Europe/Paris', '2026-03-29T01:00Z', '2026-03-29T01:00', '2026-03-30T00:30'],
    ['*/30 2 * * *', 'Europe/Paris', '2026-03-29T01:00Z', '2026-03-29T01:00', '2026-03-30T00:00'],
    ['30 * * * *', 'Europe/Paris', '2026-03-29T01:00Z', '2026-03-29T01:00', '2026-03-29T01:30'],
    // From 03:00 back to 02:00 at 01:00 UTC: 02:30 is there twice.
    ['30 2 * * *', 'Europe/Paris', '2026-10-25T00:29Z', '2026-10-24T00:30', '2026-10-25T00:30'],
    ['30 2 * * *', 'Europe/Paris', '2026-10-25T01:30Z', '2026-10-25T00:30', '2026-10-26T01:30'],
    ['30 * * * *', 'Europe/Paris', '2026-10-25T01:30Z', '2026-10-25T00:30', '2026-10-25T02:30'],
    // Half an hour, at 02:00.
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T15:00Z',
      '2026-10-02T15:45',
      '2026-10-03T15:30',
    ],
    // Midnight does not exist on this day.
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-04T02:00Z', '2018-11-03T03:00', '2018-11-04T03:00'],
    [
      '0 8 * * 1-5',
      'America/New_York',
      '2026-11-24T12:00Z',
      '2026-11-23T13:00',
      '2026-11-24T13:00',
    ],
    ['0 0 * * *', 'Asia/Kathmandu', '2026-01-01T12:00Z', '2025-12-31T18:15', '2026-01-01T18:15'],
    ['0 0 L * *', 'UTC', '2026-02-15T00:00Z', '2026-01-31T00:00', '2026-02-28T00:00'],
    ['0 0 29 2 *', 'UTC', '2026-06-01T00:00Z', '2024-02-29T00:00', '2028-02-29T00:00'],
    ['0 0 29 2 *', 'UTC', '2097-01-01T00:00Z', '2096-02-29T00:00', '2104-02-29T00:00'],
    // Either kind of day is enough.
    ['0 0 1 * mon', 'UTC', '2026-01-02T00:00Z', '2026-01-01T00:00', '2026-01-05T00:00'],
    ['* * * * *', 'UTC', '2026-01-01T00:00:59.999Z', '2026-01-01T00:00', '2026-01-01T00:01'],
  ])(
    'dueAround finds the last and the next time of %s in %s at %s',
    (schedule, timeZone, from, last, next) => {
      const { lastMs, nextMs } = dueAround({ schedule, timeZone }, at(from)) ?? {};
      expect([text(lastMs), text(nextMs)]).toEqual([last, next]);
    },
  );

  it('a cron line is due at the same time whichever way its zone is capitalised', () => {
    const due = (timeZone: string) =>
      dueAround({ schedule: '0 8 * * *', timeZone }, at('2026-06-01'));
    expect(due('europe/PARIS')).toEqual(due('Europe/Paris'));
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'dueAround finds the same times as a walk over every minute (seed %d)',
    (seed) => {
      const random = new Random(seed);
      const fields = choices.map((of) => random.pick(of));
      const schedule = fields.map(([field]) => field).join(' ');
      const timeZone = random.pick(zones);
      const now = at(`${random.pick(days)}T00:00Z`) + random.between(0, 2 * 1_440) * MINUTE_MS;
      const isDue = matcher(fields.map(([, values]) => values));
      const due = dueByWalking(isDue, timeZone, now - 2 * DAY_MS, now + 2 * DAY_MS);
      const { lastMs, nextMs } = dueAround({ schedule, timeZone }, now) ?? {};
      const last = due.filter((ms) => ms <= now).at(-1);
      const next = due.find((ms) => ms > now);
      if (last !== undefined) expect([schedule, timeZone, text(lastMs)]).toContain(text(last));
      if (next !== undefined) expect([schedule, timeZone, text(nextMs)]).toContain(text(next));
    },
  );
});

describe('a line that cannot be used', () => {
  it.each([
    ['0 8 * *', 'has 4 fields; expected five: minute, hour, day of the month, month, day'],
    ['', 'has 0 fields; expected five'],
    ['60 8 * * *', 'has "60" as minute; allowed are 0-59, and *, with lists, ranges, and steps'],
    ['0 25 * * *', 'has "25" as hour; allowed are 0-23, and *'],
    ['0 0 0 * *', 'has "0" as day of the month; allowed are 1-31, L for the last, and *'],
    ['0 0 * 13 *', 'has "13" as month; allowed are 1-12, JAN-DEC, and *'],
    ['0 0 * * 8', 'has "8" as day of the week; allowed are 0-7, SUN-SAT, and *'],
    ['0 0 * * monday', 'has "monday" as day of the week'],
    ['5-1 0 * * *', 'has "5-1" as minute'],
    ['*/0 0 * * *', 'has "*/0" as minute'],
    ['0 : * * *', 'has ":" as hour'],
    ['1,,2 0 * * *', 'has "1,,2" as minute'],
    ['0 0 31 2 *', 'never matches: none of its months has such a day'],
    ['0 0 31 4,6 *', 'never matches: none of its months has such a day'],
  ])('the cron line %j is refused with its field and what is allowed', (schedule, message) => {
    expect(cronProblem({ schedule, timeZone: 'UTC' }, 'spec.x[0]')).toEqual({
      field: 'spec.x[0].schedule',
      message: expect.stringContaining(`"${schedule}" ${message}`),
    });
  });

  it.each(['Mars/Olympus', '+01:00', ''])(
    'the time zone %p is refused with an example of what is allowed',
    (timeZone) => {
      expect(cronProblem({ schedule: '0 8 * * *', timeZone }, 'spec.x[1]')).toEqual({
        field: 'spec.x[1].timeZone',
        message: `"${timeZone}" is not a time zone; allowed are names such as Europe/Paris or UTC`,
      });
    },
  );

  it.each([
    ['0 0 29 2 *', 'UTC'],
    ['0 0 31 2 1', 'Etc/GMT+5'],
    ['59 23 31 12 *', 'US/Pacific'],
  ])('the cron line %s in %s is accepted', (schedule, timeZone) => {
    expect(cronProblem({ schedule, timeZone }, 'spec.x[0]')).toBeUndefined();
  });
});

const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'UTC'];
/** Around changes of the clock, and anywhere. */
const days = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-04-24', '2026-10-04', '2026-11-01'];

/** Undefined: any, and no restriction. */
type Values = readonly number[] | undefined;

const numbers = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

/** By field, texts with what they mean. */
const choices: readonly (readonly (readonly [string, Values])[])[] = [
  [
    ['0', [0]],
    ['30', [30]],
    ['*/15', numbers(0, 59, 15)],
    ['59', [59]],
    ['7,37', [7, 37]],
    ['*', undefined],
  ],
  [
    ['*', undefined],
    ['0', [0]],
    ['1-3', [1, 2, 3]],
    ['2', [2]],
    ['*/6', numbers(0, 23, 6)],
    ['23', [23]],
  ],
  [
    ['*', undefined],
    ['*', undefined],
    ['1', [1]],
    ['25-31', numbers(25, 31)],
  ],
  [
    ['*', undefined],
    ['*', undefined],
    ['3,10', [3, 10]],
    ['apr', [4]],
  ],
  [
    ['*', undefined],
    ['*', undefined],
    ['0', [0]],
    ['mon-fri', numbers(1, 5)],
  ],
];

function matcher([minutes, hours, days, months, weekdays]: readonly Values[]) {
  const has = (values: Values, value: number): boolean => values?.includes(value) ?? true;
  return (local: Date): boolean => {
    const isDay = has(days, local.getUTCDate());
    const isWeekday = has(weekdays, local.getUTCDay());
    const isEither = days !== undefined && weekdays !== undefined;
    return (
      has(minutes, local.getUTCMinutes()) &&
      has(hours, local.getUTCHours()) &&
      has(months, local.getUTCMonth() + 1) &&
      (isEither ? isDay || isWeekday : isDay && isWeekday)
    );
  };
}

/** Every local minute once: when it is reached, or passed by a change of the clock. */
function dueByWalking(
  isDue: (local: Date) => boolean,
  zone: string,
  from: number,
  to: number,
): readonly number[] {
  const due: number[] = [];
  const localOf = clockOf(zone);
  let reached = localOf(from - MINUTE_MS);
  for (let ms = from; ms <= to; ms += MINUTE_MS) {
    const local = localOf(ms);
    let isNow = false;
    for (let minute = reached + MINUTE_MS; minute <= local; minute += MINUTE_MS)
      isNow ||= isDue(new Date(minute));
    reached = Math.max(reached, local);
    if (isNow) due.push(ms);
  }
  return due;
}

/** What the clock shows, as if it were UTC. */
function clockOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
}
