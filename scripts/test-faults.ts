// Faults on a real API server (test/faults): all cells, `--only 3,17`, or `--quarter today` (or 1
// to 4). `--list` prints all cells.
import { quarterOf } from '../test/faults/cell-choice.ts';
import { tableOfCells } from '../test/faults/cells.ts';
import { tableOfFiniteCells } from '../test/faults/finite/finite-cells.ts';
import { tableOfGroupCells } from '../test/faults/group/group-cells.ts';
import { tableOfJobCells } from '../test/faults/job/job-cells.ts';
import { getBinaries } from './needs.ts';
import { parseOptions } from './options.ts';
import { getPrometheus } from './peers/prometheus.ts';
import { jestAndExit } from './run.ts';

const { values } = parseOptions({
  name: 'test:faults --',
  summary: 'inject faults between the operator and a real API server',
  operands: { usage: '', least: 0, most: 0 },
  about: `A proxy delays, cuts and falsifies calls; processes are killed and frozen; the API server and etcd restart.
Exit codes: 0 all cells passed, 1 at least one failed, 2 wrong command line.`,
  flags: {
    quarter: {
      type: 'choice',
      among: ['all', 'today', '1', '2', '3', '4'],
      help: 'run a quarter of the cells; today picks another one each day',
    },
    only: { type: 'text', value: 'NUMBERS', help: 'run only these cells' },
    list: { type: 'switch', help: 'print all cells, and run none' },
  },
  examples: [
    ['npm run test:faults -- --quarter today', 'as CI does'],
    ['npm run test:faults -- --only 3,17', 'two of them'],
  ],
});
if (values.list) {
  console.log(
    [tableOfCells(), tableOfGroupCells(), tableOfFiniteCells(), tableOfJobCells()].join('\n\n'),
  );
  process.exit(0);
}
const quarter = values.quarter === 'today' ? quarterOf(new Date()) : values.quarter;
process.env['SWARM_FAULTS'] =
  values.only !== undefined ? `only ${values.only}` : quarter === 'all' ? '' : `quarter ${quarter}`;
console.log(`▸ faults on a real API server: ${process.env['SWARM_FAULTS'] || 'all cells'}`);
// With it the cells restore etcd's snapshots.
await getBinaries('etcdutl');
const prometheus = getPrometheus();
if ('refusal' in prometheus)
  console.log(`  cells with Prometheus cannot run here: ${prometheus.refusal}`);
jestAndExit(['faults'], [], {
  SWARM_PROMETHEUS: 'folder' in prometheus ? prometheus.folder : '',
});
