// When was a cron line due last, when is it due next, and what is wrong with it? By the clock of a
// time zone. croner computes it; no function here reads a clock.
import { Cron, CronPattern } from 'croner';
import type { Problem } from './own-object.ts';
import { oneLine, orUndefined } from './text.ts';

export type CronLine = { readonly schedule: string; readonly timeZone: string };

/** In ms since 1970. */
export type Due = {
  /** At or before the given time. */
  readonly lastMs: number;
  readonly nextMs: number;
};

const LONGEST = 300;

const fields = [
  ['minute', '0-59'],
  ['hour', '0-23'],
  ['day of the month', '1-31, L for the last'],
  ['month', '1-12, JAN-DEC'],
  ['day of the week', '0-7, SUN-SAT'],
] as const;

/**
 * The problem of the entry `at`, such as `spec.policy.schedules[0]`: its value, and the allowed
 * ones.
 */
export function cronProblem({ schedule, timeZone }: CronLine, at: string): Problem | undefined {
  const why = whyNotDue(schedule);
  if (why !== undefined)
    return { field: `${at}.schedule`, message: `"${oneLine(schedule, LONGEST)}" ${why}` };
  if (zoneCalled(timeZone) !== undefined) return undefined;
  const message = `"${oneLine(timeZone, LONGEST)}" is not a time zone; allowed are names such as Europe/Paris or UTC`;
  return { field: `${at}.timeZone`, message };
}

function whyNotDue(schedule: string): string | undefined {
  const texts = fieldsOf(schedule);
  if (texts.length !== fields.length)
    return `has ${texts.length} fields; expected five: ${fields.map(([name]) => name).join(', ')}`;
  const cron = orUndefined(() => cronOf(schedule, 'UTC'));
  if (cron === undefined) return whichIsWrong(texts);
  return cron.nextRun(new Date(0)) === null
    ? 'never matches: none of its months has such a day'
    : undefined;
}

/** The first of the five fields that does not parse alone, either. */
function whichIsWrong(texts: readonly string[]): string {
  const wrong = fields.findIndex((_, index) => {
    const alone = fields.map((__, other) => (other === index ? texts[index] : '*'));
    return orUndefined(() => new CronPattern(alone.join(' '))) === undefined;
  });
  const [name, allowed] = fields[wrong] ?? fields[0];
  return `has "${oneLine(texts[wrong] ?? '', LONGEST)}" as ${name}; allowed are ${allowed}, and *, with lists, ranges, and steps such as */5`;
}

const fieldsOf = (schedule: string): readonly string[] => schedule.split(' ').filter(Boolean);

/** For a line without a problem. */
export function dueAround({ schedule, timeZone }: CronLine, nowMs: number): Due | undefined {
  const zone = zoneCalled(timeZone);
  if (zone === undefined) return undefined;
  const cron = cronOf(schedule, zone);
  // previousRuns omits a run at the reference itself.
  const [last] = cron.previousRuns(1, new Date(nowMs - (nowMs % 1000) + 1000));
  const next = cron.nextRun(new Date(nowMs));
  if (last === undefined || next === null) return undefined;
  return { lastMs: last.getTime(), nextMs: next.getTime() };
}

/** Without a callback it only computes, and starts no timer. */
const cronOf = (schedule: string, timezone: string): Cron =>
  new Cron(byNumbers(schedule), { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard' });

/**
 * The schedule with all minutes and hours as numbers: for a `*` or a step, croner omits the times
 * that a clock change skips, and takes the times twice that it repeats.
 */
function byNumbers(schedule: string): string {
  const { minute, hour } = new CronPattern(schedule, undefined, { mode: '5-part' });
  const numbers = (flags: readonly number[]): string =>
    flags.flatMap((isDue, number) => (isDue === 0 ? [] : [number])).join(',');
  const [, , ...days] = fieldsOf(schedule);
  return [numbers(minute), numbers(hour), ...days].join(' ');
}

/**
 * The canonical spelling of a time zone: croner keeps a formatter for each spelling for ever, and
 * users may write `europe/PARIS`.
 */
function zoneCalled(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
