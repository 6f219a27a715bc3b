// swarmctl cordon and uncordon: which workers are given nothing? Written to spec.workers.cordoned.
import { kinds } from '../../api/kinds.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { type Cluster, readPool, withCluster } from '../cluster/connect.ts';
import { lostBy, readWorkers, tellLost, workerNamed } from '../cluster/named-worker.ts';

export const cordon: Command = command(
  {
    name: 'cordon',
    summary:
      'move all streams off a worker and assign no new ones, for example before node maintenance',
    operands: { usage: 'POOL WORKER', least: 2, most: 2 },
    about: `Adds the worker's number to spec.workers.cordoned: the ordinal of a StatefulSet's pod, or the slot of a Deployment's. Its streams move
to the other workers; the worker stays in the pool. WORKER is the name of the pod, or its number. If a stream would be left without a
worker, the command changes nothing.

${poolExitCodes}
1 means: a stream would be left without a worker; nothing was changed.`,
    examples: [['swarmctl cordon tv swarm-worker-1', 'before its node is drained']],
    flags: {
      force: { type: 'switch', help: 'do it even if a stream is left without a worker' },
      ...clusterFlags,
    },
  },
  ({ values, operands: [pool = '', worker = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const decided = await readWorkers(cluster, pool);
      const { name, ordinal, isCordoned } = workerNamed(decided, worker);
      const what = `worker ${name} of SwarmPool ${cluster.namespace}/${pool}`;
      if (isCordoned) {
        terminal.out(`${what} is already cordoned`);
        return exitCodes.ok;
      }
      const lost = values.force
        ? []
        : lostBy(decided, (spec) => {
            const { cordoned = [] } = spec.workers;
            return { ...spec, workers: { ...spec.workers, cordoned: [...cordoned, ordinal] } };
          });
      if (lost.length > 0) {
        tellLost(lost, terminal);
        return exitCodes.no;
      }
      await writeCordoned(cluster, pool, (before) => [...new Set([...before, ordinal])]);
      terminal.out(`${what} is cordoned; its streams move to other workers`);
      return exitCodes.ok;
    }),
);

export const uncordon: Command = command(
  {
    name: 'uncordon',
    summary: 'let a worker get streams again',
    operands: { usage: 'POOL WORKER', least: 2, most: 2 },
    about: `Removes the worker's number from spec.workers.cordoned. WORKER is the name of the pod, or its number; the pod need not exist.

${poolExitCodes}`,
    examples: [['swarmctl uncordon tv swarm-worker-1', 'its node is back in service']],
    flags: clusterFlags,
  },
  ({ values, operands: [pool = '', worker = ''] }, terminal) =>
    withCluster(values, (cluster) => endCordon(cluster, pool, worker, terminal)),
);

async function endCordon(
  cluster: Cluster,
  pool: string,
  worker: string,
  terminal: Terminal,
): Promise<number> {
  const { spec } = await readPool(cluster, pool);
  const cordoned = spec.ok ? (spec.value.workers.cordoned ?? []) : [];
  const given = cordoned.find((it) => String(it) === worker);
  const { name, ordinal } =
    given === undefined
      ? workerNamed(await readWorkers(cluster, pool), worker)
      : { name: worker, ordinal: given };
  const what = `worker ${name} of SwarmPool ${cluster.namespace}/${pool}`;
  if (!cordoned.includes(ordinal)) {
    terminal.out(`${what} is not cordoned`);
    return exitCodes.ok;
  }
  await writeCordoned(cluster, pool, (before) => before.filter((it) => it !== ordinal));
  terminal.out(`${what} is uncordoned; it can get streams again`);
  return exitCodes.ok;
}

const MOST_ATTEMPTS = 5;

/** What another writer has cordoned meanwhile is not lost. */
async function writeCordoned(
  cluster: Cluster,
  name: string,
  change: (cordoned: readonly number[]) => readonly number[],
): Promise<void> {
  const { api, namespace } = cluster;
  for (let attempt = 1; ; attempt += 1) {
    const { meta, spec } = await readPool(cluster, name);
    const { uid, resourceVersion } = meta;
    const after = change(spec.ok ? (spec.value.workers.cordoned ?? []) : []);
    const cordoned = after.length === 0 ? null : after;
    const body = { metadata: { uid, resourceVersion }, spec: { workers: { cordoned } } };
    try {
      await api.patch(kinds.SwarmPool, { namespace, name }, { type: 'merge', body });
      return;
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
