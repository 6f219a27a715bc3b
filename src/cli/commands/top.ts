// swarmctl top: which workers carry the most?
import type { SwarmPool } from '../../api/validate.ts';
import {
  allNamespacesFor,
  type Command,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { print } from '../arguments/terminal.ts';
import { readPools, withCluster } from '../cluster/connect.ts';
import { right, type Span, type Table, tableLines } from '../render.ts';
import { bar } from '../views/bar.ts';
import { capacityOf, countOf, styles, type WorkerRow } from '../views/status.ts';

const SHOWN = 20;

export const top: Command = command(
  {
    name: 'top',
    summary: 'show the workers with the highest load, in one pool or in all',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `Sorts workers by the share of their capacity that is reserved, then by their number of streams. A load is the sum of the weights that
you set; it is not measured. For each pool this covers the first 100 workers, which are those in its status.

${poolExitCodes}`,
    examples: [
      ['swarmctl top -A', 'all pools of the cluster'],
      ['swarmctl top tv -o wide', 'all workers of one pool'],
    ],
    flags: { all: allNamespacesFor('pool'), output, ...clusterFlags },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, async (cluster) => {
      const pools = await readPools(cluster, name, values.all);
      const rows = pools.flatMap(rowsOf).sort((a, b) => byShare(a.load, b.load));
      const loads = rows.map(({ load }) => load);
      print(terminal, values.output, loads, (isWide) =>
        tableLines(tableOf(isWide ? rows : rows.slice(0, SHOWN)), terminal.width),
      );
      return exitCodes.ok;
    }),
);

type Load = {
  readonly namespace: string;
  readonly pool: string;
  readonly streams: number;
  readonly load: number;
  readonly capacity: number;
  /** Left out: the worker does not tell. */
  readonly failing?: number;
  readonly worker: string;
  readonly state: WorkerRow['state'];
};
type Row = { readonly load: Load; readonly gauge: Span };

const byShare = (a: Load, b: Load): number =>
  b.load / b.capacity - a.load / a.capacity ||
  b.streams - a.streams ||
  (a.worker < b.worker ? -1 : 1);

function rowsOf(pool: SwarmPool): readonly Row[] {
  return (pool.status?.workers ?? []).map((worker) => ({
    load: {
      namespace: pool.meta.namespace,
      pool: pool.meta.name,
      streams: countOf(worker),
      load: worker.load ?? 0,
      capacity: capacityOf(pool),
      ...(worker.failing !== undefined && { failing: worker.failing }),
      worker: worker.name,
      state: worker.state,
    },
    gauge: bar(worker.load ?? 0, capacityOf(pool)),
  }));
}

const tableOf = (rows: readonly Row[]): Table => ({
  columns: [
    'NAMESPACE',
    'POOL',
    'WORKER',
    right('LOAD'),
    right('OF'),
    '',
    right('STREAMS'),
    right('FAILING'),
    'STATE',
  ],
  rows: rows.map(({ load: it, gauge }) => [
    it.namespace,
    it.pool,
    it.worker,
    it.load,
    it.capacity,
    gauge,
    it.streams,
    it.failing === undefined
      ? undefined
      : { text: `${it.failing}`, style: it.failing > 0 ? 'bad' : 'good' },
    { text: it.state, style: styles[it.state] },
  ]),
});
