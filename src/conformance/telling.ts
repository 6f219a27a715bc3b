// Is what a worker tells of its streams in the form that was agreed, as far as one answer shows?
// Judges the fields as they were sent.
import { isRecord } from '../api/objects.ts';
import { redacted } from '../api/redact.ts';
import {
  LONGEST_STREAM_MESSAGE,
  MOST_REPORTED_STREAMS,
  streamStates,
} from '../api/reported-streams.ts';
import { shown } from './ask.ts';

type Broken = { readonly expected: string; readonly got: string };
type Fields = Readonly<Record<string, unknown>>;
/** The parameters of a stream; undefined: it is not the worker's. */
type ValuesOf = (stream: string) => readonly string[] | undefined;

/** Clocks differ a little. */
const AHEAD_MS = 60_000;

export function brokenTelling(
  { streams, states, jobs }: Fields,
  now: number,
  valuesOf: ValuesOf = () => [],
): Broken | undefined {
  if (!isRecord(streams)) return { expected: 'an object `streams`', got: shown(streams) };
  const told = Object.entries(streams);
  if (told.length > MOST_REPORTED_STREAMS)
    return { expected: `at most ${MOST_REPORTED_STREAMS} in \`streams\``, got: `${told.length}` };
  for (const [stream, it] of told) {
    const expected = wantedOf(it, now, valuesOf(stream));
    if (expected !== undefined) return { expected, got: `${shown(stream)}: ${shown(it)}` };
  }
  const expected = told.length === 0 ? undefined : wantedOfTotals(told, states, jobs);
  return expected === undefined ? undefined : { expected, got: `states ${shown(states)}` };
}

function wantedOf(it: unknown, now: number, values: readonly string[] | undefined) {
  if (values === undefined) return 'only its own streams in `streams`';
  if (!isRecord(it)) return 'an object for each stream';
  const { state, restarts, since, message = '' } = it;
  if (state === 'Running' || !streamStates.some((known) => known === state))
    return `one of the states ${streamStates.filter((known) => known !== 'Running').join(', ')}`;
  if (!isCount(restarts)) return 'restarts, a whole number';
  if (since !== undefined && !isPast(since, now))
    return 'since, a time such as 2026-01-01T00:00:00Z, not in the future';
  if (typeof message !== 'string' || message.length > LONGEST_STREAM_MESSAGE || !isLine(message))
    return `a message of one line, without control characters, at most ${LONGEST_STREAM_MESSAGE} characters`;
  if (redacted(message, values) !== message)
    return 'no message that contains five or more characters of a parameter';
  return undefined;
}

/** What is told of each stream, and how many are said to be in each state. */
function wantedOfTotals(
  told: readonly (readonly [string, unknown])[],
  states: unknown,
  jobs: unknown,
) {
  if (!isRecord(states) || !Object.values(states).every(isCount))
    return 'next to `streams` an object `states` with whole numbers';
  const countOf = (state: string): number => Number(states[state] ?? 0);
  const isWhole = told.length < MOST_REPORTED_STREAMS;
  for (const state of streamStates.filter((known) => known !== 'Running')) {
    const listed = told.filter(([, it]) => isRecord(it) && it['state'] === state).length;
    if (countOf(state) < listed || (isWhole && countOf(state) > listed))
      return `in \`states\` as many ${state} as in \`streams\`, ${listed}`;
  }
  const all = streamStates.map(countOf).reduce((a, b) => a + b, 0);
  return Array.isArray(jobs) && all < jobs.length
    ? `in \`states\` all of its ${jobs.length} streams`
    : undefined;
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const isPast = (value: unknown, now: number): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
  Date.parse(value) <= now + AHEAD_MS;

const isLine = (text: string): boolean => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
