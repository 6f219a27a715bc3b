// Measures what is promised, prints a table. Figures belong here, never into a test that depends on time.
import { cpus, loadavg } from 'node:os';
import { benchAssign } from '../bench/assign.ts';
import { benchChanges, benchSimulated } from '../bench/changes.ts';
import { type Measured, table } from '../bench/measure.ts';
import { benchOperations } from '../bench/operations.ts';
import { benchScale } from '../bench/scale.ts';

const benches: Readonly<Record<string, () => readonly Measured[] | Promise<readonly Measured[]>>> = {
  assign: benchAssign,
  changes: benchChanges,
  simulated: benchSimulated,
  operations: benchOperations,
  scale: benchScale,
};

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const unknown = wanted.filter((name) => benches[name] === undefined);
if (unknown.length > 0) {
  console.error(`there is no bench "${unknown.join('", "')}"; there is: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
// What else the machine had to do says how far the times can be trusted.
const load = loadavg()[0]?.toFixed(1);
const rows: Measured[] = [];
for (const [name, run] of Object.entries(benches)) if (wanted.length === 0 || wanted.includes(name)) rows.push(...(await run()));
console.log(
  `\n${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}, load before the start ${load}\n\n${table(rows)}`,
);
