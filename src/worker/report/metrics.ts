// What does a Prometheus learn about this worker?
import type { StreamState } from '../decide/stream.ts';
import { consumed, type Swarm } from '../decide/supervise.ts';
import type { Tally } from './start-counts.ts';

/**
 * Each stream has four series: beyond so many only the totals are told, so that a long list cannot
 * fill the memory of who collects it.
 */
export const mostStreams = 500;

type Told = readonly [stream: string, state: StreamState];

export function writeMetrics(swarm: Swarm, tally: Tally, now: number): string {
  const told = [...swarm.streams].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostStreams);
  const each = (value: (stream: string, state: StreamState) => number | undefined): Sample[] =>
    told.flatMap(([stream, state]: Told): Sample[] => {
      const found = value(stream, state);
      return found === undefined ? [] : [[`{stream=${label(stream)}}`, found]];
    });
  const one = (value: number): Sample[] => [['', value]];
  return [
    family(
      'wanted_version',
      'gauge',
      'Version of the slice that was read last.',
      one(swarm.wanted.version),
    ),
    family('confirmed_version', 'gauge', 'Newest version that became true.', one(swarm.confirmed)),
    family('streams', 'gauge', 'Streams that are consumed now.', one(consumed(swarm).length)),
    family(
      'starts_total',
      'counter',
      'Starts of all streams since the worker began.',
      one(tally.total.starts),
    ),
    family(
      'restarts_total',
      'counter',
      'Those of them that followed an end of the stream itself.',
      one(tally.total.restarts),
    ),
    family(
      'stream_state',
      'gauge',
      `The state that each stream is in; of the first ${mostStreams} by name.`,
      told.map(([stream, { phase }]): Sample => [`{stream=${label(stream)},state="${phase}"}`, 1]),
    ),
    family(
      'stream_starts_total',
      'counter',
      "Starts of each stream that is this worker's now.",
      each((stream) => tally.of(stream).starts),
    ),
    family(
      'stream_restarts_total',
      'counter',
      'Those of them that followed an end of the stream itself: crashes, or finished work.',
      each((stream) => tally.of(stream).restarts),
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
