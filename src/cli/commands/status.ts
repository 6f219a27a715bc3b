// swarmctl status: how are the pools, and what is outstanding?
import { kinds } from '../../api/kinds.ts';
import type { SwarmPool } from '../../api/validate.ts';
import {
  allNamespaces,
  type Command,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { type OutputFormat, print, type Terminal } from '../arguments/terminal.ts';
import { lookAtChanges, untilInterrupted } from '../cluster/changes.ts';
import { type Cluster, readPools, withCluster } from '../cluster/connect.ts';
import { type Line, tableLines } from '../render.ts';
import { isWell, poolLines, poolsTable } from '../views/status.ts';

export const status: Command = command(
  {
    name: 'status',
    summary: 'pools at a glance: workers, loads, what is confirmed and what is not',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `Of one pool its workers as rows: how many streams, how full, the version that each is assigned and the one that it confirmed; and what
is outstanding, since when. Without a name a line for each pool. All of it is what the operator says in the pool's status.

${poolExitCodes}
1 is: a pool is not Ready. With --watch it ends when you end it (Ctrl-C; the code is that of what was so last), or with --until-ready as
soon as all is well.`,
    examples: [
      ['swarmctl status tv', 'one pool'],
      ['swarmctl status -A', 'a line for each pool of the cluster'],
      ['swarmctl status tv --watch', 'as it goes on'],
      ['swarmctl status tv --watch --until-ready && echo done', 'in a script, after a change'],
    ],
    flags: {
      watch: { type: 'switch', short: 'w', help: 'anew with each change, until interrupted' },
      untilReady: { type: 'switch', help: 'with --watch: until all is well' },
      all: allNamespaces,
      output,
      ...clusterFlags,
    },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, async (cluster) => {
      const query: Query = { name, isEverywhere: values.all, output: values.output };
      const pools = await readPools(cluster, name, values.all);
      if (!values.watch || (values.untilReady && pools.every(isWell))) {
        show(pools, query, terminal);
        return codeOf(pools);
      }
      return codeOf(await follow(cluster, query, pools, values.untilReady, terminal));
    }),
);

type Query = {
  readonly name: string | undefined;
  readonly isEverywhere: boolean;
  readonly output: OutputFormat;
};

const codeOf = (pools: readonly SwarmPool[]): number =>
  pools.every(isWell) ? exitCodes.ok : exitCodes.no;

function show(pools: readonly SwarmPool[], query: Query, terminal: Terminal): void {
  const values = pools.map((pool) => ({
    namespace: pool.meta.namespace,
    name: pool.meta.name,
    ...pool.status,
  }));
  print(terminal, query.output, query.name === undefined ? values : values[0], (isWide) =>
    linesOf(pools, query, terminal.width, isWide),
  );
}

function linesOf(
  pools: readonly SwarmPool[],
  { name }: Query,
  width: number,
  isWide: boolean,
): readonly Line[] {
  const [only] = pools;
  if (only === undefined) return ['no SwarmPool here; -A looks into all namespaces'];
  return name !== undefined
    ? poolLines(only, width, isWide, Date.now())
    : tableLines(poolsTable(pools, Date.now()), width);
}

/** Until interrupted or, with `untilReady`, until all is well. Returns the pools as last seen. */
async function follow(
  cluster: Cluster,
  query: Query,
  first: readonly SwarmPool[],
  untilReady: boolean,
  terminal: Terminal,
): Promise<readonly SwarmPool[]> {
  const ended = untilInterrupted();
  const screen = terminal.screen();
  const isLive = screen.isLive && (query.output === 'text' || query.output === 'wide');
  let last = first;
  let shown = '';
  const draw = (): void =>
    screen.draw((width) => linesOf(last, query, width, query.output === 'wide'));
  const refresh = async (): Promise<void> => {
    last = await readPools(cluster, query.name, query.isEverywhere);
    const text = JSON.stringify(
      last.map((pool) => [pool.meta.generation, pool.meta.annotations, pool.status]),
    );
    if (isLive) draw();
    else if (text !== shown) {
      if (shown !== '' && query.output !== 'json') terminal.out('');
      show(last, query, terminal);
    }
    shown = text;
    if (untilReady && last.length > 0 && last.every(isWell)) ended.abort();
  };
  // Ages grow even where nothing changes.
  const ticking = isLive ? setInterval(draw, 1_000) : undefined;
  const target = {
    kind: kinds.SwarmPool,
    namespace: query.isEverywhere ? undefined : cluster.namespace,
  };
  try {
    await lookAtChanges(cluster.api, target, refresh, ended, terminal);
  } finally {
    clearInterval(ticking);
    screen.close();
  }
  return last;
}
