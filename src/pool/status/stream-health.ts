// How are the streams doing, according to the reports of their workers, and is all work done?
// Reports count only for the worker's own streams.
import type { Slice, StreamParameters } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import { redacted } from '../../api/redact.ts';
import { redactedBeside } from '../../api/redact-beside.ts';
import type { WorkerReport } from '../../api/report.ts';
import { isFailing, MOST_REPORTED_STREAMS, type StreamReport } from '../../api/reported-streams.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { Wanted } from '../../core/conditions.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { ConditionReason } from '../reasons.ts';
import { isAtWork, type PoolWorker } from '../workers/workers.ts';

export type FailingStream = NonNullable<SwarmPoolStatus['failing']>[number];

/** A stream that does not simply run, according to its worker. */
type ToldStream = StreamReport & {
  readonly name: string;
  readonly worker: PoolWorker;
  readonly report: StreamReport;
};

type StreamHealth = {
  /** The longest failing first. */
  readonly failing: readonly ToldStream[];
  /** Undefined: no worker reports it. */
  readonly counts: { readonly failing: number; readonly completed: number } | undefined;
  /** The number of streams that are not started again. */
  readonly failed: number;
  /** Workers that report no states of their streams. */
  readonly untold: readonly string[];
  /** The number of failing streams, by worker. */
  readonly failingAt: ReadonlyMap<string, number>;
  /** The ignored part of each worker's report. */
  readonly ignored: ReadonlyMap<string, string>;
};

/** The most entries that the status shows. */
const SHOWN = 20;
/** Up to this number, the list is searched: a set of all streams takes a tenth of a decision. */
const FEW = 8;
/** The largest difference between the clocks of two machines. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function streamHealth({ workers, slices }: DesiredState, now: number): StreamHealth {
  const counts = { failing: 0, completed: 0 };
  const failing: ToldStream[] = [];
  const untold: string[] = [];
  const ignored = new Map<string, string>();
  const failingAt = new Map<string, number>();
  let isTold = false;
  let failed = 0;
  for (const worker of workers) {
    const slice = slices.get(worker.name);
    const report = worker.answer?.ok === true ? worker.answer.report : undefined;
    if (report?.ignored !== undefined) ignored.set(worker.name, report.ignored);
    if (report?.streams === undefined || !isAtWork(worker.pod)) {
      if (slice !== undefined && slice.jobs.length > 0) untold.push(worker.name);
      continue;
    }
    isTold = true;
    if (slice === undefined) continue;
    const { streams, problem } = ownStreams(report, report.streams, slice, now);
    if (problem !== undefined && !ignored.has(worker.name)) ignored.set(worker.name, problem);
    const mine = streams.filter(([, { state }]) => isFailing(state));
    failing.push(...mine.map(([name, it]) => ({ name, worker, report: it, ...it })));
    const failingHere = countOf(report, mine.length, ['Restarting', 'Failed'], slice);
    counts.failing += failingHere;
    failingAt.set(worker.name, failingHere);
    const those = (wanted: StreamReport['state']): number =>
      countOf(report, streams.filter(([, { state }]) => state === wanted).length, [wanted], slice);
    counts.completed += those('Completed');
    failed += those('Failed');
  }
  return {
    failing: failing.sort(longestFirst),
    counts: isTold ? counts : undefined,
    failed,
    untold,
    failingAt,
    ignored,
  };
}

type OwnStreams = {
  readonly streams: readonly (readonly [name: string, stream: StreamReport])[];
  readonly problem: string | undefined;
};

function ownStreams(
  { version }: WorkerReport,
  told: Readonly<Record<string, StreamReport>>,
  { jobs, version: wanted }: Slice,
  now: number,
): OwnStreams {
  const entries = Object.entries(told);
  if (entries.length === 0) return { streams: [], problem: undefined };
  const assigned = entries.length <= FEW ? undefined : new Set(jobs);
  const isMine = (name: string): boolean => assigned?.has(name) ?? jobs.includes(name);
  const mine = entries.filter(([name]) => isMine(name));
  const isClaim = version >= wanted && mine.length < entries.length;
  const isAhead = ({ since }: StreamReport): boolean =>
    since !== undefined && Date.parse(since) > now + CLOCK_SKEW_MS;
  return {
    streams: mine.map(([name, stream]) => {
      const { since, ...timeless } = stream;
      return [name, isAhead(stream) ? timeless : stream];
    }),
    problem: isClaim
      ? 'a stream that it was not assigned'
      : mine.some(([, stream]) => isFailing(stream.state) && isAhead(stream))
        ? 'a time in the future'
        : undefined,
  };
}

/**
 * Totals count if the list has only the worst streams, and never more than the worker's streams.
 */
function countOf(
  { streams = {}, states = {} }: WorkerReport,
  shown: number,
  of: readonly StreamReport['state'][],
  { jobs }: Slice,
): number {
  if (Object.keys(streams).length < MOST_REPORTED_STREAMS) return shown;
  const total = of.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  return Math.max(shown, Math.min(total, jobs.length));
}

function longestFirst(a: ToldStream, b: ToldStream): number {
  const [of, than] = [a.since ?? '9', b.since ?? '9'];
  if (of !== than) return of < than ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

export function shownFailing(
  { failing }: StreamHealth,
  slices: DesiredState['slices'],
): readonly FailingStream[] {
  const first = failing.slice(0, SHOWN);
  const messages = new Map(
    [...Map.groupBy(first, ({ worker }) => worker.name)].map(([worker, told]) => [
      worker,
      shownMessages(
        slices.get(worker),
        told.map(({ name, report }) => [name, report] as const),
      ),
    ]),
  );
  return first.map((stream) => shown(stream, messages.get(stream.worker.name)?.get(stream.name)));
}

const shown = (
  { name, worker, state, restarts, since }: ToldStream,
  message: string | undefined,
): FailingStream => ({
  ...{ name, worker: worker.name, state: state === 'Failed' ? 'Failed' : 'Restarting', restarts },
  ...(since !== undefined && { since }),
  ...(message !== undefined && { message }),
});

/** Contains only names: the message of a stream may differ at each of its ends. */
export function streamsHealthy(
  { failing, counts, untold, ignored }: StreamHealth,
  { spec }: DesiredState,
): Wanted & { readonly reason: ConditionReason } {
  const type = 'StreamsHealthy';
  const also = [...ignored]
    .slice(0, 3)
    .map(([worker, what]) => `; the report of ${worker} has ${what}, which is ignored`)
    .join('');
  const total = counts?.failing ?? 0;
  if (total > 0) {
    const names = listed(failing.map(({ name, worker }) => `${name} at ${worker.name}`));
    const message = `${plural(total, 'stream')} ${total === 1 ? 'is' : 'are'} failing (${names}): see status.failing${also}`;
    return { type, status: 'False', reason: 'StreamsFailing', message };
  }
  if (untold.length > 0) {
    const message =
      spec.probe.type === 'None'
        ? 'workers are not probed (spec.probe.type None)'
        : `${listed(untold)} ${untold.length === 1 ? 'does' : 'do'} not report the health of ${untold.length === 1 ? 'its' : 'their'} streams${also}`;
    return { type, status: 'Unknown', reason: 'StreamsNotTold', message };
  }
  if (ignored.size > 0)
    return { type, status: 'Unknown', reason: 'ReportIgnored', message: also.slice(2) };
  return { type, status: 'True', reason: 'NoneFailing', message: 'no stream is failing' };
}

type NamedReport = readonly [stream: string, report: StreamReport];

/** An unchanged report and its messages are not read again. */
const known = new WeakMap<StreamReport, { readonly slice: Slice; readonly message: string }>();

/** By stream with a message; all streams belong to one worker, with this slice. */
export function shownMessages(
  slice: Slice | undefined,
  told: readonly NamedReport[],
): ReadonlyMap<string, string> {
  const texts = told.flatMap(([stream, report]) =>
    report.message === undefined ? [] : [{ stream, report, message: report.message }],
  );
  if (slice?.parameters === undefined)
    return new Map(texts.map(({ stream, message }) => [stream, message]));
  const { parameters } = slice;
  const fresh = texts.filter(({ report }) => known.get(report)?.slice !== slice);
  if (fresh.length > 0) {
    const plain = fresh.map(({ stream, message }) =>
      redacted(message, Object.values(own(parameters, stream) ?? {})),
    );
    const shown = redactedBeside(plain, valuesIn(parameters));
    for (const [at, { report }] of fresh.entries())
      known.set(report, { slice, message: shown[at] ?? '' });
  }
  return new Map(texts.map(({ stream, report }) => [stream, known.get(report)?.message ?? '']));
}

/** A worker's report of one stream, with the message that may be shown. */
export function withoutValues(
  told: StreamReport,
  slice: Slice | undefined,
  stream: string,
): StreamReport {
  const message = shownMessages(slice, [[stream, told]]).get(stream);
  return message === undefined ? told : { ...told, message };
}

function* valuesIn(parameters: Readonly<Record<string, StreamParameters>>): Iterable<string> {
  for (const stream in parameters) yield* Object.values(parameters[stream] ?? {});
}

export function complete(
  { failed }: Pick<StreamHealth, 'failed'>,
  { completed, streams }: Pick<DesiredState, 'completed' | 'streams'>,
): Wanted & { readonly reason: ConditionReason } {
  const type = 'Complete';
  const total = streams.length;
  const done = `${completed.size} of ${plural(total, 'stream')} ${completed.size === 1 ? 'is' : 'are'} completed`;
  if (total === 0 || completed.size + failed < total) {
    const idle = streams.filter((it) => it.isSuspended === true && !completed.has(it.name)).length;
    const message = idle === 0 ? done : `${done}, ${idle} ${idle === 1 ? 'is' : 'are'} suspended`;
    return { type, status: 'False', reason: 'StreamsOpen', message };
  }
  return failed === 0
    ? { type, status: 'True', reason: 'AllCompleted', message: done }
    : { type, status: 'True', reason: 'SomeFailed', message: `${done}, ${failed} failed` };
}
