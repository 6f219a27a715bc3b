// When was a cron line due last? By a clock on the wall of its zone: a minute is due when the clock
// passes it for the first time. So what a change of the clock skips is due at the change, and what
// it repeats is due once.

export type Line = { readonly schedule: string; readonly timeZone: string };

const MINUTE_MS = 60_000;
/** No zone changes its clock within a quarter of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 1_440 * MINUTE_MS;
/** Most lines are due each day; the others within a month. */
const SEARCHED_DAYS = [2, 40] as const;

type Field = { readonly values: ReadonlySet<number>; readonly isAny: boolean };

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const weekdays = 'SUN MON TUE WED THU FRI SAT'.split(' ');

const fields: readonly (readonly [least: number, most: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['', ...months]],
  [0, 7, weekdays],
];

/** The day of the month that stands for the last one. */
const LAST = 32;

function fieldOf(text: string, index: number): Field | undefined {
  const [least, most, names] = fields[index] ?? [0, 0, []];
  const numberOf = (word: string): number => {
    if (word === 'L' && index === 2) return LAST;
    return /^\d+$/.test(word) ? Number(word) : names.indexOf(word.toUpperCase());
  };
  const parts = text.split(',').map((part) => {
    const [range = '', every = '1'] = part.split('/');
    const [first = '', last = first] = range === '*' ? [`${least}`, `${most}`] : range.split('-');
    const [from, to, step] = [numberOf(first), numberOf(last), Number(every)];
    const isIn = from === LAST || (from >= least && to <= most && from <= to && step > 0);
    const count = isIn ? Math.floor((to - from) / step) + 1 : 0;
    return Array.from({ length: count }, (_, at) => from + at * step);
  });
  const isWrong = parts.some((values) => values.length === 0);
  return isWrong ? undefined : { values: new Set(parts.flat()), isAny: text.startsWith('*') };
}

type Pattern = readonly [Field, Field, Field, Field, Field];

function patternOf(schedule: string): Pattern | undefined {
  const found = schedule.split(' ').filter(Boolean).map(fieldOf);
  const [minute, hour, day, month, weekday] = found;
  const isWhole = found.length === fields.length;
  if (!isWhole || !minute || !hour || !day || !month || !weekday) return undefined;
  return [minute, hour, day, month, weekday];
}

/** `wall`: what the clock shows, as if it stood in Greenwich. */
function isMeant([minute, hour, day, month, weekday]: Pattern, wall: Date): boolean {
  if (!minute.values.has(wall.getUTCMinutes()) || !hour.values.has(wall.getUTCHours()))
    return false;
  const [date, dayOfWeek] = [wall.getUTCDate(), wall.getUTCDay()];
  const isLast = new Date(wall.getTime() + DAY_MS).getUTCDate() === 1;
  const isDay = day.values.has(date) || (isLast && day.values.has(LAST));
  const isWeekday = weekday.values.has(dayOfWeek) || (dayOfWeek === 0 && weekday.values.has(7));
  // Where both are given, either is enough.
  const isDate = day.isAny || weekday.isAny ? isDay && isWeekday : isDay || isWeekday;
  return isDate && month.values.has(wall.getUTCMonth() + 1);
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const form = { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const;
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { ...form, timeZone });
  clocks.set(timeZone, clock);
  return clock;
}

/** How far the zone is ahead of Greenwich. */
function offsetAt(timeZone: string, ms: number): number {
  const quarter = Math.floor(ms / QUARTER_MS);
  const key = `${timeZone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const text = clockOf(timeZone).format(quarter * QUARTER_MS);
  const offset = Date.parse(`${text.replace(' ', 'T')}Z`) - quarter * QUARTER_MS;
  offsets.set(key, offset);
  return offset;
}

/** A day before, the highest that the clock has shown is what it shows. */
function lastIn(
  pattern: Pattern,
  timeZone: string,
  nowMs: number,
  days: number,
): number | undefined {
  const end = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const start = end - days * DAY_MS;
  let offset = offsetAt(timeZone, start - DAY_MS);
  let highest = start - DAY_MS + offset;
  let last: number | undefined;
  for (let at = start - DAY_MS; at <= end; at += MINUTE_MS) {
    if (at % QUARTER_MS === 0) offset = offsetAt(timeZone, at);
    const shown = at + offset;
    for (let wall = highest + MINUTE_MS; wall <= shown; wall += MINUTE_MS)
      if (isMeant(pattern, new Date(wall))) last = at;
    highest = Math.max(highest, shown);
  }
  return last;
}

const found = new Map<string, { readonly minute: number; readonly last: number | undefined }>();

/** In ms since 1970; undefined: not for a long time. */
export function lastDue({ schedule, timeZone }: Line, nowMs: number): number | undefined {
  const minute = Math.floor(nowMs / MINUTE_MS);
  const key = `${timeZone} ${schedule}`;
  const known = found.get(key);
  if (known?.minute === minute) return known.last;
  const pattern = patternOf(schedule);
  const last =
    pattern &&
    SEARCHED_DAYS.reduce<number | undefined>(
      (earlier, days) => earlier ?? lastIn(pattern, timeZone, nowMs, days),
      undefined,
    );
  found.set(key, { minute, last });
  return last;
}

/** A leap year has all days that there are. */
const LEAP_YEAR = 2024;

/** February has no 30th; where weekdays are given, too, either is enough. */
function isEverDue([, , day, month, weekday]: Pattern): boolean {
  const isSome = [...day.values].some((date) =>
    [...month.values].some(
      (it) => date === LAST || date <= new Date(Date.UTC(LEAP_YEAR, it, 0)).getUTCDate(),
    ),
  );
  return isSome || !weekday.isAny;
}

/** The text of a schedule that is invalid; undefined: all are valid. */
export function wrongIn({ schedule, timeZone }: Line): string | undefined {
  const pattern = patternOf(schedule);
  if (pattern === undefined || !isEverDue(pattern)) return schedule;
  try {
    clockOf(timeZone);
    return undefined;
  } catch {
    return timeZone;
  }
}
