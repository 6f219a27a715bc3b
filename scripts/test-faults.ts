// Faults on a real API server (test/faults): all cells, `--only 3,17`, or `--quarter today` (or 1 to 4). `--list` shows what there is.
import { parseArgs } from 'node:util';
import { findBinaries } from '../src/playground/binaries/binaries.ts';
import { tableOfCells } from '../test/faults/cells.ts';
import { quarterOf } from '../test/faults/chosen.ts';
import { jest } from './run.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, quarter: { type: 'string' }, list: { type: 'boolean' } } });
if (values.list === true) {
  console.log(tableOfCells());
  process.exit(0);
}
const quarter = values.quarter === 'today' ? String(quarterOf(new Date())) : values.quarter;
if (quarter !== undefined && !/^[1-4]$/.test(quarter)) {
  console.error(`--quarter is "${quarter}"; allowed is today, 1, 2, 3, 4`);
  process.exit(2);
}
process.env['SWARM_FAULTS'] = values.only !== undefined ? `only ${values.only}` : quarter !== undefined ? `quarter ${quarter}` : '';
console.log(`▸ faults on a real API server: ${process.env['SWARM_FAULTS'] || 'all cells'}`);
await findBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']);
const { passed, failed } = jest(['faults'], []);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
