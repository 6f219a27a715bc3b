// Writes what Prometheus scrapes of this worker.
import type { StreamState } from '../decide/stream.ts';
import { consumed, type SupervisorState } from '../decide/supervise.ts';
import type { StartCounts } from './start-counts.ts';

/**
 * Each stream has four series: beyond so many there are only totals, so that a long list cannot
 * fill Prometheus' memory.
 */
export const mostStreams = 500;

export function writeMetrics(
  supervisor: SupervisorState,
  counts: StartCounts,
  now: number,
): string {
  const shown = [...supervisor.streams].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostStreams);
  const each = (value: (stream: string, state: StreamState) => number | undefined): Sample[] =>
    shown.flatMap(([stream, state]): Sample[] => {
      const found = value(stream, state);
      return found === undefined ? [] : [[`{stream=${label(stream)}}`, found]];
    });
  const one = (value: number): Sample[] => [['', value]];
  return [
    family(
      'wanted_version',
      'gauge',
      'Version of the slice that was read last.',
      one(supervisor.wanted.version),
    ),
    family(
      'confirmed_version',
      'gauge',
      'Newest version that became true.',
      one(supervisor.confirmed),
    ),
    family('streams', 'gauge', 'Streams that are consumed now.', one(consumed(supervisor).length)),
    family(
      'starts_total',
      'counter',
      'Starts of all streams since the worker began.',
      one(counts.total.starts),
    ),
    family(
      'restarts_total',
      'counter',
      'Those of them that followed an end of the stream itself.',
      one(counts.total.restarts),
    ),
    family(
      'stream_state',
      'gauge',
      `The state that each stream is in; of the first ${mostStreams} by name.`,
      shown.map(([stream, { phase }]): Sample => [`{stream=${label(stream)},state="${phase}"}`, 1]),
    ),
    family(
      'stream_starts_total',
      'counter',
      "Starts of each stream that is this worker's now.",
      each((stream) => counts.of(stream).starts),
    ),
    family(
      'stream_restarts_total',
      'counter',
      'Those of them that followed an end of the stream itself: crashes, or finished work.',
      each((stream) => counts.of(stream).restarts),
    ),
    family(
      'stream_uptime_seconds',
      'gauge',
      'How long each stream that runs has been running.',
      each((_, state) => (state.phase === 'Running' ? (now - state.since) / 1000 : undefined)),
    ),
  ].join('');
}

type Sample = readonly [labels: string, value: number];

const family = (
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: readonly Sample[],
): string =>
  [
    `# HELP swarm_worker_${name} ${help}`,
    `# TYPE swarm_worker_${name} ${type}`,
    ...samples.map(([labels, value]) => `swarm_worker_${name}${labels} ${value}`),
    '',
  ].join('\n');

const label = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
