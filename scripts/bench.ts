// Runs the benchmarks and prints a table. Measurements belong here, never into a test, which must
// not depend on time.
import { cpus, loadavg } from 'node:os';
import { benchAssign } from '../bench/assign.ts';
import { benchChanges, benchSimulated } from '../bench/changes.ts';
import { benchChurn } from '../bench/churn.ts';
import { benchGangs } from '../bench/gangs.ts';
import { benchGroupMetrics } from '../bench/group-metrics.ts';
import { benchGroups } from '../bench/groups.ts';
import { benchGrowthOfPools, benchGrowthOfStreams } from '../bench/growth.ts';
import { type Measured, table } from '../bench/instruments/measure.ts';
import { benchNamespaces } from '../bench/namespaces.ts';
import { benchOperations } from '../bench/operations.ts';
import { benchPools } from '../bench/pools.ts';
import { benchQueues } from '../bench/queues.ts';
import { benchScale } from '../bench/scale.ts';
import { benchSoak } from '../bench/soak.ts';
import { benchSwarmctl } from '../bench/swarmctl.ts';
import { benchTeastore } from '../bench/teastore.ts';
import { benchWatches } from '../bench/watches.ts';
import { exitCodes } from '../src/cli/arguments/command.ts';
import { parseOptions } from './options.ts';

type Sizes = {
  readonly pools: number;
  readonly minutes: number;
  readonly transitions: number;
  readonly repeat: number;
  readonly period: number;
  readonly jobs: number;
  readonly beside: string;
};

const benches: Readonly<
  Record<string, (sizes: Sizes) => readonly Measured[] | Promise<readonly Measured[]>>
> = {
  assign: ({ beside }) => benchAssign(beside),
  changes: benchChanges,
  simulated: benchSimulated,
  churn: benchChurn,
  operations: benchOperations,
  scale: benchScale,
  watches: benchWatches,
  namespaces: benchNamespaces,
  swarmctl: benchSwarmctl,
  pools: ({ pools }) => benchPools(pools),
  groups: ({ transitions }) => benchGroups(transitions),
  'group-metrics': ({ period }) => benchGroupMetrics(period),
  queues: ({ jobs }) => benchQueues(jobs),
  gangs: benchGangs,
  teastore: ({ repeat }) => benchTeastore(repeat),
  'growth-streams': benchGrowthOfStreams,
  'growth-pools': ({ pools }) => benchGrowthOfPools(pools),
  soak: ({ minutes }) => benchSoak(minutes),
};
const names = Object.keys(benches);
const { values, operands: wanted } = parseOptions({
  name: 'bench --',
  summary: 'run benchmarks, and print a table with the targets',
  operands: { usage: `[${names.join('|')}]…`, least: 0, most: names.length },
  about: `Without a name it runs all except soak and teastore. Times depend on this machine and its load. growth and soak draw pictures in docs/images.
Exit codes: 0 measured, whether or not targets were reached; 2 wrong command line.`,
  flags: {
    pools: {
      type: 'number',
      value: 'NUMBER',
      fallback: 1_000,
      least: 10,
      most: 10_000,
      help: 'for pools and growth-pools: the largest number of pools',
    },
    beside: {
      type: 'choice',
      among: ['nothing', 'franz-go'],
      help: 'for assign: measure that program, too, in the same run; there is franz-go, which needs Go',
    },
    minutes: {
      type: 'number',
      value: 'NUMBER',
      fallback: 60,
      least: 1,
      most: 10_000,
      help: 'for soak: the duration',
    },
    jobs: {
      type: 'number',
      value: 'NUMBER',
      fallback: 3_000,
      least: 100,
      most: 20_000,
      help: 'for queues: how many jobs pass through one queue',
    },
    transitions: {
      type: 'number',
      value: 'NUMBER',
      fallback: 100,
      least: 1,
      most: 10_000,
      help: 'for groups: the number of groups; with slow writes a tenth of it',
    },
    repeat: {
      type: 'number',
      value: 'NUMBER',
      fallback: 10,
      least: 1,
      most: 1_000,
      help: 'for teastore: how often each method goes through all sizes',
    },
    period: {
      type: 'number',
      value: 'SECONDS',
      fallback: 20,
      least: 10,
      most: 600,
      help: 'for group-metrics: the evaluation period of the groups; the default of a group is 60',
    },
  },
  examples: [
    ['npm run bench -- assign', 'only the benchmark assign'],
    ['npm run bench -- assign --beside franz-go', 'the same beside franz-go'],
    ['npm run bench -- growth-pools --pools 10000', 'the cost of ten to ten thousand pools'],
    ['npm run bench -- soak --minutes 60', 'an hour with faults'],
  ],
});
/** Benchmarks of half an hour and more run only by name. */
const LONG: ReadonlySet<string> = new Set(['soak', 'teastore']);
const isWanted = (name: string): boolean =>
  wanted.length === 0 ? !LONG.has(name) : wanted.includes(name);

const unknown = wanted.filter((name) => benches[name] === undefined);
if (unknown.length > 0) {
  console.error(
    `unknown benchmark "${unknown.join('", "')}"; the benchmarks are ${names.join(', ')}`,
  );
  process.exit(exitCodes.usage);
}
// The load of the machine shows how reliable the times are.
const load = (): string => loadavg()[0]?.toFixed(1) ?? '';
const before = load();
const rows: Measured[] = [];
for (const [name, run] of Object.entries(benches)) {
  if (!isWanted(name)) continue;
  const measured = await run(values);
  rows.push(...measured);
  // Printed at once, in case a later benchmark fails.
  console.log(
    `\n${name}, at load ${load()}\n${measured.map((row) => `  ${row.name}: ${row.value}`).join('\n')}`,
  );
}
console.log(
  `\n${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}, load before the start ${before}\n\n${table(rows)}`,
);
