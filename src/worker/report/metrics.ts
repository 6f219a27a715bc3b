// Writes the metrics of this worker for Prometheus, including the number of starts of each stream.
import { consumed, type SupervisorState } from '../decide/supervise.ts';

/** Each stream has four series: the bound keeps a long list from filling Prometheus' memory. */
export const mostStreams = 500;

export function writeMetrics(
  supervisor: SupervisorState,
  counts: StartCounts,
  now: number,
): string {
  const { wanted, confirmed, streams } = supervisor;
  const shown = [...streams].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostStreams);
  const each = (value: (stream: string) => number): Sample[] =>
    shown.map(([stream]) => [`{stream=${label(stream)}}`, value(stream)]);
  const uptimes = shown.flatMap(([stream, state]): Sample[] =>
    state.phase === 'Running' ? [[`{stream=${label(stream)}}`, (now - state.since) / 1000]] : [],
  );
  return [
    gauge('wanted_version', 'Version of the last entry that was read.', one(wanted.version)),
    gauge(
      'confirmed_version',
      'Newest version that the worker has applied completely.',
      one(confirmed),
    ),
    gauge('streams', 'Streams that are running now.', one(consumed(supervisor).length)),
    counter(
      'starts_total',
      'Starts of all streams since the worker started.',
      one(counts.total.starts),
    ),
    counter(
      'restarts_total',
      'Starts after a stream had ended by itself.',
      one(counts.total.restarts),
    ),
    gauge(
      'stream_state',
      `State of each stream; only of the first ${mostStreams} by name.`,
      shown.map(([stream, { phase }]) => [`{stream=${label(stream)},state="${phase}"}`, 1]),
    ),
    counter(
      'stream_starts_total',
      'Starts of each stream that is currently assigned to this worker.',
      each((stream) => counts.of(stream).starts),
    ),
    counter(
      'stream_restarts_total',
      'Starts of each stream after it had ended by itself: crashes, or finished work.',
      each((stream) => counts.of(stream).restarts),
    ),
    gauge('stream_uptime_seconds', 'How long each running stream has been running.', uptimes),
  ].join('');
}

type Sample = readonly [labels: string, value: number];

const one = (value: number): Sample[] => [['', value]];

const familyOf =
  (type: 'gauge' | 'counter') =>
  (name: string, help: string, samples: readonly Sample[]): string =>
    [
      `# HELP swarm_worker_${name} ${help}`,
      `# TYPE swarm_worker_${name} ${type}`,
      ...samples.map(([labels, value]) => `swarm_worker_${name}${labels} ${value}`),
      '',
    ].join('\n');
const gauge = familyOf('gauge');
const counter = familyOf('counter');

const label = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

type Counts = { readonly starts: number; readonly restarts: number };

export class StartCounts {
  readonly #byStream = new Map<string, Counts>();
  #total: Counts = { starts: 0, restarts: 0 };

  started(stream: string, isRestart: boolean): void {
    this.#byStream.set(stream, plus(this.of(stream), isRestart));
    this.#total = plus(this.#total, isRestart);
  }

  forget(stream: string): void {
    this.#byStream.delete(stream);
  }

  of(stream: string): Counts {
    return this.#byStream.get(stream) ?? { starts: 0, restarts: 0 };
  }

  /** Includes streams that were removed. */
  get total(): Counts {
    return this.#total;
  }
}

const plus = ({ starts, restarts }: Counts, isRestart: boolean): Counts => ({
  starts: starts + 1,
  restarts: restarts + (isRestart ? 1 : 0),
});
