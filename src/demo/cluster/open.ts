// How does the demo get a cluster? It starts a Kubernetes of its own on this machine, or uses one
// that is there already, and leaves that as it was.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import { isOnPath } from '../../cli/cluster/on-path.ts';
import { askRunning, listenForEnd, shellEnv } from '../../cli/cluster/socket.ts';
import type { Screen } from '../../cli/views/screen.ts';
import { isRenewedAt, leaderText, leasedOperator, overlap } from '../../core/operators.ts';
import { findBinaries } from '../../playground/binaries/binaries.ts';
import { kubernetesVersion } from '../../playground/binaries/releases.ts';
import { startPlayground } from '../../playground/playground.ts';
import { startGuard } from '../../playground/processes/guard.ts';
import { signalIfThere } from '../../playground/processes/processes.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { serverOf } from '../../runtime/client/config.ts';
import type { Interrupt } from '../interrupt.ts';
import { connect, type DemoCluster, makeOperator } from './cluster.ts';
import { makeKubectl, typed } from './kubectl.ts';
import {
  applyDefinitions,
  folderOf,
  isThere,
  NAMESPACE,
  overlayOf,
  removeSample,
} from './sample.ts';

/** Returns with the definitions served; the operator is not started yet. */
export async function openGivenCluster(
  kubeconfig: string,
  workerImage: string | undefined,
  screen: Screen,
): Promise<DemoCluster> {
  const { api, config } = connect(kubeconfig);
  await refuseIfInUse(api);
  const program = isOnPath('kubectl') ? 'kubectl' : (await findBinaries(['kubectl'])).kubectl;
  screen.say(
    `Using the cluster at ${serverOf(config)} (from ${kubeconfig}); the operator runs as a process on this machine.`,
  );
  const guard = await startGuard();
  const folder = await mkdtemp(path.join(tmpdir(), 'swarm-demo-'));
  guard.watchFolder(folder);
  // The operator works only for this namespace, and its Lease is removed with it.
  const args = ['--namespaces', NAMESPACE, '--lease-namespace', NAMESPACE];
  const operator = await makeOperator(folder, { kubeconfig, guard, args });
  const definitions = await applyDefinitions(api);
  return {
    kubeconfig,
    config,
    kubectl: makeKubectl(program, path.resolve(kubeconfig)),
    sampleFolder: (name) =>
      workerImage === undefined ? folderOf(name) : overlayOf(name, workerImage, folder),
    api,
    operator,
    killWorker: ({ name, pod }) => ({
      typed: typed(['-n', NAMESPACE, 'delete', `pod/${name}`]),
      run: () => api.delete(kinds.Pod, { namespace: NAMESPACE, name }, pod && { uid: pod.uid }),
    }),
    wayToPods: () => routesToPods(api),
    stop: async () => {
      await operator.stop();
      screen.say(`Removing namespace ${NAMESPACE} …`);
      await removeSample(api, definitions);
      await config.closeConnections();
      await rm(folder, { recursive: true, force: true });
      await guard.close();
      const made = definitions.length === 0 ? '' : ` and ${definitions.join(', ')}`;
      return `the operator, namespace ${NAMESPACE}${made} are removed`;
    },
  };
}

/**
 * The demo removes the namespace at its end, so the namespace must be its own. Two operators would
 * fight over its pools.
 */
async function refuseIfInUse(api: KubeApi): Promise<void> {
  if (await isThere(api, kinds.Namespace, { name: NAMESPACE })) {
    throw new Error(
      `namespace ${NAMESPACE} already exists, and the demo would remove it at its end. If it is left over from a demo: kubectl delete namespace ${NAMESPACE}`,
    );
  }
  const { items } = await api.list(kinds.Lease, undefined);
  const held = items
    .filter((lease) => isRenewedAt(lease, Date.now()))
    .flatMap((lease) => leasedOperator(lease) ?? [])
    .find(({ namespaces }) => overlap(namespaces, [NAMESPACE]));
  if (held !== undefined) {
    throw new Error(
      `an operator is already running in this cluster: ${leaderText(held)}; two would overwrite each other’s changes`,
    );
  }
}

const SHOWN = 5;

/**
 * The operator runs on this machine and probes the workers too, so it needs the same routes.
 */
async function routesToPods(api: KubeApi): Promise<readonly string[]> {
  const { items } = await api.list(kinds.Node, undefined);
  const routes = items.flatMap(routeOf).slice(0, SHOWN);
  const hint =
    'neither the demo nor the operator can reach a worker: this machine needs a route to the addresses of pods';
  return routes.length === 0
    ? [hint]
    : [
        `${hint}. On a cluster of containers such as kind:`,
        ...routes.map((route) => `  sudo ${route}`),
      ];
}

function routeOf(node: KubeObject): readonly string[] {
  const pods = asString(dig(node, 'spec', 'podCIDR'));
  const addresses = asList(dig(node, 'status', 'addresses'));
  const address = asString(
    dig(
      addresses.find((it) => dig(it, 'type') === 'InternalIP'),
      'address',
    ),
  );
  return pods === undefined || address === undefined ? [] : [`ip route add ${pods} via ${address}`];
}

/**
 * For `swarmctl playground env` and `down`. Undefined: another playground answers these, or no
 * socket can be made; the demo goes on without one.
 */
async function socketFor(env: string, interrupt: Interrupt) {
  return (await askRunning('env')) === undefined
    ? listenForEnd(env, () => interrupt.end('swarmctl playground down')).catch(() => undefined)
    : undefined;
}

/** Returns with the definitions served; the operator is not started yet. */
export async function openLocalCluster(screen: Screen, interrupt: Interrupt): Promise<DemoCluster> {
  await interrupt.race(
    findBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']),
  );
  screen.say(`Starting a local Kubernetes ${kubernetesVersion} …`);
  // Not interrupted: a half-started playground could not be stopped in order.
  const playground = await startPlayground();
  const { plane, guard, nodes } = playground;
  for (const { mounts } of nodes)
    if (mounts.type === 'rewrite')
      screen.say(`Pods run without mount namespaces: ${mounts.reason}`);
  const { kubeconfig } = plane;
  const socket = await socketFor(shellEnv(kubeconfig, plane.binaries.kubectl), interrupt);
  const { api, config } = connect(kubeconfig);
  // Its own cluster: there is no other operator to look for.
  const args = ['--lease-namespace', 'default'];
  const operator = await makeOperator(plane.dir, { kubeconfig, guard, args });
  await applyDefinitions(api);
  return {
    kubeconfig,
    config,
    kubectl: makeKubectl(plane.binaries.kubectl, kubeconfig),
    sampleFolder: folderOf,
    api,
    operator,
    killWorker: ({ name, pod }) => {
      const pids =
        nodes.flatMap(({ pods }) => pods).find(({ uid }) => uid === pod?.uid)?.pids ?? [];
      if (pids.length === 0) throw new Error(`${name} has no processes on any node`);
      return {
        typed: `kill -9 ${pids.join(' ')}   # all processes of pod ${name}`,
        run: async () => {
          for (const pid of pids) signalIfThere(pid, 'SIGKILL');
        },
      };
    },
    wayToPods: async () => [],
    stop: async () => {
      await operator.stop();
      await config.closeConnections();
      await playground.stop();
      await socket?.close();
      return 'the operator, the workers and Kubernetes are removed';
    },
  };
}
