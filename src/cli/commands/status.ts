// swarmctl status: how are the pools, and what is outstanding?
import { kinds } from '../../api/kinds.ts';
import type { SwarmPool } from '../../api/validate.ts';
import { systemClock } from '../../kube/clock.ts';
import { hasCode, type KubeError } from '../../kube/errors.ts';
import { Watcher } from '../../kube/watch.ts';
import { exitCodes } from '../arguments/command.ts';
import { type Command, command, type Terminal } from '../arguments/main.ts';
import { allNamespaces, clusterFlags, exitCodesText, output } from '../arguments/shared.ts';
import { type Cluster, withCluster } from '../cluster/connect.ts';
import { readPool, readPools } from '../cluster/pools.ts';
import { tableLines } from '../render.ts';
import { type Output, tell } from '../views/output.ts';
import { isWell, poolLines, poolsTable } from '../views/status.ts';

export const status: Command = command(
  {
    name: 'status',
    summary: 'pools at a glance: workers, loads, what is confirmed and what is not',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `Of one pool its workers as rows: how many streams, how full, the version that each is assigned and the one that it confirmed; and what
is outstanding, since when. Without a name a line for each pool. All of it is what the operator says in the pool's status.

${exitCodesText.pool}
1 is: a pool is not Ready. With --watch it ends when you end it, or with --until-ready as soon as all is well.`,
    examples: [
      ['swarmctl status tv', 'one pool'],
      ['swarmctl status -A', 'a line for each pool of the cluster'],
      ['swarmctl status tv --watch', 'as it goes on'],
      ['swarmctl status tv --watch --until-ready && echo done', 'in a script, after a change'],
    ],
    flags: {
      watch: { type: 'switch', short: 'w', help: 'anew with each change, until interrupted' },
      'until-ready': { type: 'switch', help: 'with --watch: until all is well' },
      all: allNamespaces,
      output,
      ...clusterFlags,
    },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, async (cluster) => {
      const look: Look = { name, isEverywhere: values.all, output: values.output };
      const pools = await read(cluster, look);
      show(pools, look, terminal);
      if (!values.watch || (values['until-ready'] && pools.every(isWell))) return codeOf(pools);
      return codeOf(await follow(cluster, look, values['until-ready'], terminal));
    }),
);

type Look = { readonly name: string | undefined; readonly isEverywhere: boolean; readonly output: Output };

const codeOf = (pools: readonly SwarmPool[]): number => (pools.every(isWell) ? exitCodes.ok : exitCodes.no);

const read = async (cluster: Cluster, { name, isEverywhere }: Look): Promise<readonly SwarmPool[]> =>
  name === undefined ? readPools(cluster, isEverywhere) : [await readPool(cluster, name)];

function show(pools: readonly SwarmPool[], { name, output: how }: Look, terminal: Terminal): void {
  const values = pools.map(({ meta, status: told }) => ({ namespace: meta.namespace, name: meta.name, ...told }));
  const [only] = pools;
  tell(terminal, how, name === undefined ? values : values[0], (isWide) => {
    if (only === undefined) return ['no SwarmPool here; -A looks into all namespaces'];
    if (name !== undefined) return poolLines(only, terminal.width, isWide, Date.now());
    return tableLines(poolsTable(pools, Date.now()), terminal.width);
  });
}

/** Until interrupted, or all is well and that was asked for: the pools as they were last. */
async function follow(cluster: Cluster, look: Look, untilReady: boolean, terminal: Terminal): Promise<readonly SwarmPool[]> {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  let last: readonly SwarmPool[] = [];
  let shown = '';
  let failure: unknown;
  const refresh = async (): Promise<void> => {
    last = await read(cluster, look);
    const text = JSON.stringify(last.map(({ meta, status: told }) => [meta.generation, meta.annotations, told]));
    if (text === shown) return;
    shown = text;
    if (!terminal.clear() && look.output !== 'json') terminal.out('');
    show(last, look, terminal);
    if (untilReady && last.length > 0 && last.every(isWell)) ended.abort();
  };
  // One look after the other: several changes at once are one look.
  let isDue = false;
  let looking = Promise.resolve();
  const wake = (): void => {
    if (isDue) return;
    isDue = true;
    looking = looking
      .then(() => {
        isDue = false;
        return ended.signal.aborted ? undefined : refresh();
      })
      .catch((error: unknown) => {
        failure = error;
        ended.abort();
      });
  };
  const namespace = look.isEverywhere ? undefined : cluster.namespace;
  // A watch that ran out is no news.
  const onTrouble = (error: KubeError): void => void (hasCode(error, 'Timeout', 'Gone') || terminal.problem(error.message));
  await new Watcher(cluster.api, { kind: kinds.SwarmPool, namespace }, { clock: systemClock, onTrouble }, wake).run(ended.signal);
  await looking;
  if (failure !== undefined) throw failure;
  return last;
}
