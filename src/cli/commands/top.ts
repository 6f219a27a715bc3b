// swarmctl top: which workers carry the most?
import type { SwarmPool } from '../../api/validate.ts';
import { type Command, command, exitCodes } from '../arguments/command.ts';
import { allNamespaces, clusterFlags, output, poolExitCodes } from '../arguments/shared.ts';
import { withCluster } from '../cluster/connect.ts';
import { readPool, readPools } from '../cluster/pools.ts';
import { type Cell, type Span, type Table, tableLines } from '../render.ts';
import { tell } from '../views/output.ts';
import { capacityOf, countOf, gaugeOf, styles, type WorkerRow } from '../views/status.ts';

const SHOWN = 20;

export const top: Command = command(
  {
    name: 'top',
    summary: 'the workers that carry the most, of one pool or of all',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `By the part of its capacity that is reserved on each worker, then by the number of its streams. Loads are the weights that you have
given, not what is measured. Of each pool the first 100 workers, as its status has them.

${poolExitCodes}`,
    examples: [
      ['swarmctl top -A', 'of the whole cluster'],
      ['swarmctl top tv -o wide', 'all workers of one pool'],
    ],
    flags: { all: allNamespaces, output, ...clusterFlags },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, async (cluster) => {
      const pools =
        name === undefined ? await readPools(cluster, values.all) : [await readPool(cluster, name)];
      const workers = pools
        .flatMap(loadsOf)
        .sort(
          (a, b) =>
            b.share - a.share || b.streams - a.streams || (a.worker.name < b.worker.name ? -1 : 1),
        );
      const told = workers.map(({ worker, gauge: _, share: __, ...load }) => ({
        ...load,
        worker: worker.name,
        state: worker.state,
      }));
      tell(terminal, values.output, told, (isWide) =>
        tableLines(tableOf(isWide ? workers : workers.slice(0, SHOWN)), terminal.width),
      );
      return exitCodes.ok;
    }),
);

type Load = {
  readonly namespace: string;
  readonly pool: string;
  readonly worker: WorkerRow;
  readonly streams: number;
  readonly load: number;
  readonly capacity: number;
  readonly share: number;
  readonly gauge: Span;
};

function loadsOf(pool: SwarmPool): readonly Load[] {
  const gauge = gaugeOf(pool);
  const capacity = capacityOf(pool);
  const { namespace, name } = pool.meta;
  return (pool.status?.workers ?? []).map((worker) => {
    const load = worker.load ?? 0;
    return {
      namespace,
      pool: name,
      worker,
      streams: countOf(worker),
      load,
      capacity,
      share: load / capacity,
      gauge: gauge(worker),
    };
  });
}

const tableOf = (loads: readonly Load[]): Table => ({
  columns: [
    { title: 'NAMESPACE' },
    { title: 'POOL' },
    { title: 'WORKER' },
    { title: 'LOAD', align: 'right' },
    { title: 'OF', align: 'right' },
    { title: '' },
    { title: 'STREAMS', align: 'right' },
    { title: 'STATE' },
  ],
  rows: loads.map(({ namespace, pool, worker, load, capacity, gauge, streams }): Cell[] => [
    namespace,
    pool,
    worker.name,
    String(load),
    String(capacity),
    gauge,
    String(streams),
    { text: worker.state, style: styles[worker.state] },
  ]),
});
