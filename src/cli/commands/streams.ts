// swarmctl streams: how is each stream, and where?
import { kinds } from '../../api/kinds.ts';
import { isFailing, streamStates } from '../../api/reported-streams.ts';
import type { Values } from '../../flags.ts';
import { decidePool } from '../../pool/decide.ts';
import { type ListedStream, listStreams } from '../../pool/plan/stream-list.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { blockedText, print, type Terminal } from '../arguments/terminal.ts';
import { lookAtChanges, untilInterrupted } from '../cluster/changes.ts';
import { type Cluster, withCluster } from '../cluster/connect.ts';
import { observePool } from '../cluster/observe-pool.ts';
import type { Line } from '../render.ts';
import { streamLines } from '../views/streams.ts';

const flags = {
  failing: { type: 'switch', help: 'show only failing streams, and those whose worker is down' },
  worker: { type: 'text', value: 'NAME', help: 'show only the streams of this worker' },
  watch: { type: 'switch', short: 'w', help: 'show every change until you press Ctrl-C' },
  output,
  ...clusterFlags,
} as const;
type Given = Values<typeof flags>;

export const streams: Command = command(
  {
    name: 'streams',
    summary: 'show the state and worker of each stream: what fails, since when, and why',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `Reads the pool and probes its workers once, as the operator does. For workers that this machine cannot reach, it uses the pool's
status. Failing streams come first, and streams whose worker is down, with the reason and when other workers take over.

${poolExitCodes}
1 means: one of the streams shown is failing, its worker is down, or it has no worker.`,
    examples: [
      ['swarmctl streams tv', 'all of one pool'],
      ['swarmctl streams tv --failing', 'failing streams, each with its last error'],
      [
        'swarmctl streams tv --worker swarm-worker-2 --watch',
        'the streams of one worker, kept up to date',
      ],
    ],
    flags,
  },
  ({ values, operands: [pool = ''] }, terminal) =>
    withCluster(values, (cluster) =>
      values.watch
        ? untilInterrupted((ended) => follow(cluster, pool, values, ended, terminal))
        : show(cluster, pool, values, terminal),
    ),
);

async function read(
  { api, namespace }: Cluster,
  pool: string,
  { failing, worker }: Given,
): Promise<readonly ListedStream[]> {
  const world = await observePool(api, namespace, pool);
  const now = Date.now();
  const { basis } = decidePool(world, now);
  if (!basis.ok) throw new CommandError(blockedText(basis.blocked));
  return listStreams(world, basis.desired, now)
    .filter((it) => worker === undefined || it.worker === worker)
    .filter(({ state }) => !failing || isBad(state));
}

const isBad = (state: ListedStream['state']): boolean =>
  state === 'Down' || streamStates.some((it) => it === state && isFailing(it));

const exitCodeOf = (listed: readonly ListedStream[]): number =>
  listed.some(({ state }) => isBad(state) || state === 'Unassigned') ? exitCodes.no : exitCodes.ok;

async function show(
  cluster: Cluster,
  pool: string,
  values: Given,
  terminal: Terminal,
): Promise<number> {
  const listed = await read(cluster, pool, values);
  print(terminal, values.output, listed, (isWide) => lines(listed, terminal.width, isWide, values));
  return exitCodeOf(listed);
}

const lines = (
  listed: readonly ListedStream[],
  width: number,
  isWide: boolean,
  { failing }: Given,
): readonly Line[] =>
  listed.length === 0
    ? [failing ? 'no failing streams' : 'no streams']
    : streamLines(listed, width, isWide, Date.now());

async function follow(
  cluster: Cluster,
  pool: string,
  values: Given,
  ended: AbortController,
  terminal: Terminal,
): Promise<number> {
  const screen = terminal.screen();
  const isWide = values.output === 'wide';
  const isLive = screen.isLive && (isWide || values.output === 'text');
  let last: readonly ListedStream[] = [];
  let shown: string | undefined;
  const refresh = async (): Promise<void> => {
    last = await read(cluster, pool, values);
    const text = JSON.stringify(last);
    if (isLive) screen.draw((width) => lines(last, width, isWide, values));
    else if (text !== shown)
      print(terminal, values.output, last, () => lines(last, terminal.width, isWide, values));
    shown = text;
  };
  try {
    const target = { kind: kinds.SwarmPool, namespace: cluster.namespace };
    await lookAtChanges(cluster.api, target, refresh, ended, terminal);
  } finally {
    screen.close();
  }
  return exitCodeOf(last);
}
