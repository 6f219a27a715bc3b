// What does a worker tell of its streams? The truth by the real report, nothing, or lies.
import {
  MOST_REPORTED_STREAMS,
  type ReportedStreams,
  type StreamReport,
} from '../../../src/api/reported-streams.ts';

export const tellings = [
  'all',
  /** As a worker of an earlier release. */
  'nothing',
  'streams of others',
  'completions of others',
  'unknown states',
  'a time in the future',
  'too much',
] as const;
export type Telling = (typeof tellings)[number];

/** It would need a hundred places; a report of a thousand has most of them in vain. */
const TOO_MANY = 10 * MOST_REPORTED_STREAMS;
const DAY_MS = 86_400_000;

/** `others`: streams that run elsewhere. `secretOf`: what a stream has in its parameters. */
export function toldStreams(
  telling: Telling,
  truth: ReportedStreams,
  others: readonly string[],
  secretOf: (stream: string) => string,
  wall: number,
): object {
  const { streams = {} } = truth;
  const lie: StreamReport = { state: 'Failed', restarts: 3, message: 'no access' };
  const withAll = (names: readonly string[], report: object): object => ({
    ...truth,
    streams: { ...streams, ...Object.fromEntries(names.map((name) => [name, report])) },
  });
  switch (telling) {
    case 'all':
      return truth;
    case 'nothing':
      return {};
    case 'streams of others':
      return withAll(others, lie);
    case 'completions of others':
      return withAll(others, { state: 'Completed', restarts: 0 });
    case 'unknown states':
      return withAll([...others, 'nobody'], { ...lie, state: 'Exploded', restarts: -1 });
    case 'a time in the future': {
      const since = new Date(wall + DAY_MS).toISOString();
      const late = Object.entries(streams).map(([name, it]) => {
        const message = `cannot open ${secretOf(name)}`;
        return [name, { ...it, since, message }] as const;
      });
      return { ...truth, streams: Object.fromEntries(late) };
    }
    case 'too much':
      return withAll(
        Array.from({ length: TOO_MANY }, (_, index) => `noise-${index}`),
        lie,
      );
    default:
      return telling satisfies never;
  }
}
