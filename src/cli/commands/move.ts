// swarmctl move: which worker is one stream to run at? Written to spec.streams, as its ordinal.
import type { SwarmPoolSpec } from '../../api/validate.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { type Cluster, readPool, withCluster } from '../cluster/connect.ts';
import { lostBy, movesBy, readWorkers, tellLost, workerNamed } from '../cluster/named-worker.ts';
import { patchSpecStreams, readSpecStreams } from '../cluster/spec-stream.ts';
import { otherMovesLines } from '../views/plan.ts';

const flags = {
  release: {
    type: 'switch',
    help: 'without WORKER: remove the pin, so that any worker may get the stream',
  },
  force: { type: 'switch', help: 'do it even if a stream is left without a worker' },
  ...clusterFlags,
} as const;

export const move: Command = command(
  {
    name: 'move',
    summary: 'move a stream to a worker, and pin it there',
    operands: { usage: 'POOL STREAM [WORKER]', least: 2, most: 3 },
    about: `Writes the worker's number to the field \`ordinal\` of the stream in spec.streams: the ordinal of a StatefulSet's pod, or the slot of a
Deployment's. The stream stays there until you remove the pin. WORKER is the name of the pod, or its number. If the stream comes from a
ConfigMap (spec.streamsFrom), pin it there. If a stream would be left without a worker, the command changes nothing.
If other streams have to move, to make room for it or to even out the workers, the command first prints which.

${poolExitCodes}
1 means: a stream would be left without a worker; nothing was changed.`,
    examples: [
      ['swarmctl move tv cnbc swarm-worker-1', 'run it on this worker from now on'],
      ['swarmctl move tv cnbc --release', 'let any worker have it again'],
    ],
    flags,
  },
  ({ values, operands: [pool = '', stream = '', worker] }, terminal) => {
    if (values.release !== (worker === undefined))
      throw new CommandError('expected either WORKER or --release');
    return withCluster(values, (cluster) =>
      worker === undefined
        ? release(cluster, pool, stream, terminal)
        : pinTo(cluster, { pool, stream, worker, isForced: values.force }, terminal),
    );
  },
);

type Pin = {
  readonly pool: string;
  readonly stream: string;
  readonly worker: string;
  readonly isForced: boolean;
};

async function pinTo(
  cluster: Cluster,
  { pool, stream, worker, isForced }: Pin,
  terminal: Terminal,
): Promise<number> {
  const found = await readSpecStreams(cluster, await readPool(cluster, pool), [stream]);
  const decided = await readWorkers(cluster, pool);
  const { name, ordinal } = workerNamed(decided, worker);
  const what = `stream ${stream} of SwarmPool ${cluster.namespace}/${pool}`;
  if (found.every((it) => it.stream.ordinal === ordinal)) {
    terminal.out(`${what} is already pinned to ${name}`);
    return exitCodes.ok;
  }
  const change = (spec: SwarmPoolSpec): SwarmPoolSpec => pinned(spec, stream, ordinal);
  const lost = isForced ? [] : lostBy(decided, change);
  if (lost.length > 0) {
    tellLost(lost, terminal);
    return exitCodes.no;
  }
  const others = movesBy(decided, change).filter((it) => it.stream !== stream);
  terminal.lines(otherMovesLines(others, terminal.width));
  await patchSpecStreams(
    cluster,
    pool,
    found.map((it) => ({ ...it, field: 'ordinal', value: ordinal })),
  );
  const isThere = decided.world.published.placed.get(name)?.includes(stream) === true;
  const when = decided.desired.isPaused ? ' when the pool is resumed' : '';
  terminal.out(
    isThere
      ? `${what} stays on ${name}, and is now pinned to it`
      : `${what} is pinned to ${name}, and moves there${when}`,
  );
  return exitCodes.ok;
}

const pinned = (spec: SwarmPoolSpec, stream: string, ordinal: number): SwarmPoolSpec => ({
  ...spec,
  streams: spec.streams?.map((it) => (it.name === stream ? { ...it, ordinal } : it)) ?? [],
});

async function release(
  cluster: Cluster,
  pool: string,
  stream: string,
  terminal: Terminal,
): Promise<number> {
  const found = await readSpecStreams(cluster, await readPool(cluster, pool), [stream]);
  const what = `stream ${stream} of SwarmPool ${cluster.namespace}/${pool}`;
  if (found.every((it) => it.stream.ordinal === undefined)) {
    terminal.out(`${what} is not pinned`);
    return exitCodes.ok;
  }
  await patchSpecStreams(
    cluster,
    pool,
    found.map((it) => ({ ...it, field: 'ordinal', value: undefined })),
  );
  terminal.out(`${what} is no longer pinned; any worker may get it`);
  return exitCodes.ok;
}
