// What does a Prometheus learn about this worker?
import { consumed, type Swarm } from './supervise.ts';

export function writeMetrics(swarm: Swarm, starts: ReadonlyMap<string, number>): string {
  const states = [...swarm.streams].map(([stream, { phase }]) => `swarm_worker_stream_state{stream=${label(stream)},state="${phase}"} 1`);
  const started = [...starts].map(([stream, count]) => `swarm_worker_stream_starts_total{stream=${label(stream)}} ${count}`);
  return lines([
    ...described('swarm_worker_wanted_version', 'gauge', 'Version of the slice that was read last.', [
      `swarm_worker_wanted_version ${swarm.wanted.version}`,
    ]),
    ...described('swarm_worker_confirmed_version', 'gauge', 'Newest version that became true.', [
      `swarm_worker_confirmed_version ${swarm.confirmed}`,
    ]),
    ...described('swarm_worker_streams', 'gauge', 'Streams that are consumed now.', [`swarm_worker_streams ${consumed(swarm).length}`]),
    ...described('swarm_worker_stream_state', 'gauge', 'The state that each stream is in.', states),
    ...described(
      'swarm_worker_stream_starts_total',
      'counter',
      'Processes started for each stream; all but the first are restarts.',
      started,
    ),
  ]);
}

const described = (name: string, type: string, help: string, samples: readonly string[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples,
];
const label = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
