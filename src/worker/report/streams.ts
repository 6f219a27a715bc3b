// Which streams do not simply run? The worker reports them, worst first, and how many of all
// streams are in each state.
import {
  MOST_REPORTED_STREAMS,
  type ReportedState,
  type ReportedStreams,
  type StreamReport,
} from '../../api/reported-streams.ts';
import { type Health, isWell, type Trouble } from '../decide/health.ts';
import type { EndingPhase, StreamPhase } from '../decide/stream.ts';
import type { SupervisorState } from '../decide/supervise.ts';

/** The largest part of an answer for these streams; a name may be long. */
const MOST_BYTES = 128 * 1024;

const worstFirst: readonly ReportedState[] = [
  'Failed',
  'Restarting',
  'Completed',
  'Starting',
  'Stopping',
  'Suspended',
  'Running',
];

type Told = { readonly state: ReportedState; readonly since: number; readonly trouble?: Trouble };
type NamedTold = Told & { readonly stream: string };

/** `dateOf` returns the date of a moment of the supervisor; `now` is such a moment. */
export function reportedStreams(
  { streams }: SupervisorState,
  now: number,
  dateOf: (moment: number) => Date,
): ReportedStreams {
  const counts = new Map<ReportedState, number>();
  const notable: NamedTold[] = [];
  for (const [stream, phase] of streams) {
    const told = toldOf(phase, now);
    counts.set(told.state, (counts.get(told.state) ?? 0) + 1);
    if (told.state !== 'Running') notable.push({ stream, ...told });
  }
  if (notable.length === 0) return { streams: {} };
  const worst = notable.sort(byBadness).slice(0, MOST_REPORTED_STREAMS);
  const reports = worst.map((told) => [told.stream, reportOf(told, dateOf)] as const);
  return { states: Object.fromEntries(counts), streams: Object.fromEntries(withinBytes(reports)) };
}

function toldOf(phase: StreamPhase, now: number): Told {
  const { since } = phase;
  switch (phase.phase) {
    case 'Starting':
    case 'BackingOff':
      return startingAgain(since, phase.health.trouble);
    case 'Running': {
      const { trouble } = phase.health;
      const isFailing = trouble?.isFailing === true && !isWell(phase.health, now - since);
      return isFailing ? startingAgain(since, trouble) : { state: 'Running', since };
    }
    case 'Stopping':
    case 'Killing':
      return endingOf(phase.afterwards, since);
    case 'Completed':
      return { state: 'Completed', since };
    case 'Failed':
      return givenUp(since, phase.health);
  }
}

function endingOf(afterwards: EndingPhase['afterwards'], since: number): Told {
  switch (afterwards.goal) {
    case 'BackOff':
      return startingAgain(since, afterwards.health.trouble);
    case 'GiveUp':
      return givenUp(since, afterwards.health);
    default:
      return { state: 'Stopping', since };
  }
}

const givenUp = (since: number, { trouble }: Health): Told => ({
  state: 'Failed',
  since,
  ...(trouble && { trouble }),
});

function startingAgain(since: number, trouble: Trouble | undefined): Told {
  if (trouble === undefined) return { state: 'Starting', since };
  return trouble.isFailing
    ? { state: 'Restarting', since: trouble.since, trouble }
    : { state: 'Starting', since, trouble };
}

/** Within a state, the longest first. */
const byBadness = (a: NamedTold, b: NamedTold): number =>
  worstFirst.indexOf(a.state) - worstFirst.indexOf(b.state) ||
  a.since - b.since ||
  (a.stream < b.stream ? -1 : 1);

const reportOf = (
  { state, since, trouble }: Told,
  dateOf: (moment: number) => Date,
): StreamReport => ({
  state,
  restarts: trouble?.restarts ?? 0,
  since: `${dateOf(since).toISOString().slice(0, 19)}Z`,
  ...(trouble && { message: trouble.message }),
});

function withinBytes(
  reports: readonly (readonly [string, StreamReport])[],
): readonly (readonly [string, StreamReport])[] {
  let left = MOST_BYTES;
  return reports.filter((report) => {
    left -= Buffer.byteLength(JSON.stringify(report));
    return left >= 0;
  });
}

/** Returns the same date for a moment in each answer, unless the machine's clock was set. */
export function createDates(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): (moment: number) => Date {
  const offsetNow = (): number => wall() - monotonic();
  let offset = offsetNow();
  return (moment) => {
    const current = offsetNow();
    if (Math.abs(current - offset) > CLOCK_WAS_SET_MS) offset = current;
    return new Date(offset + moment);
  };
}
const CLOCK_WAS_SET_MS = 1_000;
