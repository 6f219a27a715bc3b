// Measures what is promised, prints a table. Figures belong here, never into a test that depends on time.
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAssign } from '../bench/assign.ts';
import { benchChanges, benchSimulated } from '../bench/changes.ts';
import { benchGrowthOfPools, benchGrowthOfStreams } from '../bench/growth.ts';
import { type Measured, table } from '../bench/measure.ts';
import { benchOperations } from '../bench/operations.ts';
import { benchPools } from '../bench/pools.ts';
import { benchScale } from '../bench/scale.ts';
import { benchSoak } from '../bench/soak.ts';
import { benchWatches } from '../bench/watches.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' }, pools: { type: 'string', default: '1000' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes is "${values.minutes}"; allowed is a number above 0`);
  process.exit(2);
}
const pools = Number(values.pools);
if (!(pools > 0) || pools % 10 !== 0) {
  console.error(`--pools is "${values.pools}"; allowed is a multiple of 10`);
  process.exit(2);
}

const benches: Readonly<Record<string, () => readonly Measured[] | Promise<readonly Measured[]>>> = {
  assign: benchAssign,
  changes: benchChanges,
  simulated: benchSimulated,
  operations: benchOperations,
  scale: benchScale,
  watches: benchWatches,
  pools: () => benchPools(pools),
  'growth-streams': benchGrowthOfStreams,
  'growth-pools': () => benchGrowthOfPools(pools),
  soak: () => benchSoak(minutes),
};
/** Those that take an hour are run by name. */
const LONG: ReadonlySet<string> = new Set(['soak']);
const isWanted = (name: string): boolean => (wanted.length === 0 ? !LONG.has(name) : wanted.includes(name));

const unknown = wanted.filter((name) => benches[name] === undefined);
if (unknown.length > 0) {
  console.error(`there is no bench "${unknown.join('", "')}"; there is: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
// What else the machine had to do says how far the times can be trusted.
const load = (): string => loadavg()[0]?.toFixed(1) ?? '';
const before = load();
const rows: Measured[] = [];
for (const [name, run] of Object.entries(benches)) {
  if (!isWanted(name)) continue;
  const measured = await run();
  rows.push(...measured);
  // Should a later one fail, this one has been seen.
  console.log(`\n${name}, at load ${load()}\n${measured.map((row) => `  ${row.name}: ${row.value}`).join('\n')}`);
}
console.log(
  `\n${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}, load before the start ${before}\n\n${table(rows)}`,
);
