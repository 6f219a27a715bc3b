// What does a worker report about the states of its streams? Workers write it, the operator reads
// it: unknown parts are ignored, and named in a text of our own.
import { asString, isRecord } from './objects.ts';
import { oneLine } from './text.ts';

export const streamStates = [
  'Running',
  /** The stream is about to start, or to start again. */
  'Starting',
  /**
   * The stream fails: it ended by itself three times within minutes, or cannot be started at all.
   */
  'Restarting',
  'Stopping',
  'Suspended',
  /** The work of the stream is done. */
  'Completed',
  /** The stream fails, and is not started again. */
  'Failed',
] as const;
export type ReportedState = (typeof streamStates)[number];

export const isFailing = (state: ReportedState): boolean =>
  state === 'Restarting' || state === 'Failed';

export type StreamReport = {
  readonly state: ReportedState;
  /** Restarts since the stream was last well. */
  readonly restarts: number;
  readonly since?: string;
  /** One line of foreign text. */
  readonly message?: string;
};

export type ReportedStreams = {
  /** The number of streams in each state. */
  readonly states?: Readonly<Partial<Record<ReportedState, number>>>;
  /**
   * At most a hundred streams that do not simply run, worst first. Omitted: the worker does not
   * report them.
   */
  readonly streams?: Readonly<Record<string, StreamReport>>;
  /** Describes the parts that were ignored. */
  readonly ignored?: string;
};

export const MOST_REPORTED_STREAMS = 100;
export const LONGEST_STREAM_MESSAGE = 256;
const MOST_RESTARTS = 1_000_000_000;

export function readReportedStreams(report: Readonly<Record<string, unknown>>): ReportedStreams {
  const { streams, states } = report;
  if (streams === undefined) return {};
  if (!isRecord(streams)) return { ignored: '`streams` that is not an object' };
  const names = Object.keys(streams);
  const read = names.slice(0, MOST_REPORTED_STREAMS).map((name) => [name, streams[name]] as const);
  const known = read.flatMap(([name, it]) => {
    const stream = readStream(it);
    return stream === undefined ? [] : [[name, stream] as const];
  });
  const ignored =
    names.length > MOST_REPORTED_STREAMS
      ? `more than ${MOST_REPORTED_STREAMS} \`streams\``
      : known.length < read.length
        ? 'a stream with an unknown `state`, or with `restarts` that is not a whole number'
        : undefined;
  const counts = readCounts(states);
  return {
    streams: Object.fromEntries(known),
    ...(counts !== undefined && { states: counts }),
    ...(ignored !== undefined && { ignored }),
  };
}

function readStream(value: unknown): StreamReport | undefined {
  if (!isRecord(value)) return undefined;
  const state = streamStates.find((it) => it === value['state']);
  const restarts = value['restarts'] ?? 0;
  if (state === undefined || !isCount(restarts)) return undefined;
  const since = readTime(value['since']);
  const message = oneLine(asString(value['message']) ?? '', LONGEST_STREAM_MESSAGE);
  return {
    state,
    restarts: Math.min(restarts, MOST_RESTARTS),
    ...(since !== undefined && { since }),
    ...(message !== '' && { message }),
  };
}

function readCounts(value: unknown): ReportedStreams['states'] {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    streamStates.flatMap((state) => {
      const count = value[state];
      return isCount(count) ? [[state, count]] : [];
    }),
  );
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

/** In whole seconds: a worker that reports finer times reports nothing new. */
export function readTime(value: unknown): string | undefined {
  const text = asString(value);
  if (text === undefined || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text.slice(0, 40))) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
