// On which Kubernetes does the demo run: one of its own on this machine, or one that is given?
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../../api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../api/objects.ts';
import type { KubeApi } from '../../../kube/api.ts';
import { KubeClient } from '../../../kube/client.ts';
import { loadKubeConfig } from '../../../kube/pool.ts';
import { findBinaries } from '../../../playground/binaries.ts';
import { startGuard } from '../../../playground/guard.ts';
import { startPlayground } from '../../../playground/playground.ts';
import { kubernetesVersion } from '../../../playground/releases.ts';
import type { Interrupt } from '../interrupt.ts';
import type { Screen } from '../screen/screen.ts';
import { type DemoOperator, makeOperator } from './operator.ts';
import { routesToPods } from './reach.ts';
import { applyDefinitions, isThere, removeSample, target } from './sample.ts';
import type { WorkerSight } from './sight.ts';

export type Cluster = {
  readonly kubeconfig: string;
  /** What a user types. */
  readonly kubectl: string;
  readonly api: KubeApi;
  readonly operator: DemoOperator;
  /** By SIGKILL to its processes where they are at hand, by deletion of its pod elsewhere. */
  killWorker(worker: WorkerSight): Promise<void>;
  /** What to do when no pod can be reached from here. */
  wayToPods(): Promise<readonly string[]>;
  /** Ends and removes all that the demo made; tells what that was. */
  stop(): Promise<string>;
};

/** Both return with the definitions served; the operator is not started yet. */
export async function openLocalCluster(screen: Screen, interrupt: Interrupt): Promise<Cluster> {
  await interrupt.race(findBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']));
  screen.say(`Starting a local Kubernetes ${kubernetesVersion} …`);
  // Not raced: what was started half-way could not be stopped in order.
  const playground = await startPlayground();
  const { plane, guard, nodes } = playground;
  for (const { mounts } of nodes) if (mounts.type === 'rewrite') screen.say(`Pods run without mount namespaces: ${mounts.reason}`);
  const { kubeconfig } = plane;
  const { api, close } = connect(kubeconfig);
  const operator = makeOperator({ kubeconfig, folder: plane.dir, guard, args: [] });
  await applyDefinitions(api);
  return {
    kubeconfig,
    kubectl: isOnPath('kubectl') ? 'kubectl' : plane.binaries.kubectl,
    api,
    operator,
    killWorker: async ({ name, pod }) => {
      const running = nodes.flatMap(({ pods }) => pods).find(({ uid }) => uid === pod?.uid);
      if (running === undefined || running.pids.length === 0) throw new Error(`${name} has no processes on any node`);
      for (const pid of running.pids) process.kill(pid, 'SIGKILL');
    },
    wayToPods: async () => [],
    stop: async () => {
      await operator.stop();
      await close();
      // Told goodbye, the guard would let go of what only it knows of.
      if (operator.isAstray) return 'the guard ends the rest when this process is gone';
      await playground.stop();
      return 'nothing is left of operator, workers and Kubernetes';
    },
  };
}

export async function openGivenCluster(kubeconfig: string, screen: Screen): Promise<Cluster> {
  const { api, close, server } = connect(kubeconfig);
  await refuseIfInUse(api);
  screen.say(`Using the cluster at ${server} (from ${kubeconfig}); the operator runs here, as a process.`);
  const guard = await startGuard();
  const folder = await mkdtemp(path.join(tmpdir(), 'swarm-demo-'));
  guard.watchFolder(folder);
  // Its own pools only, and its Lease goes with the namespace.
  const args = ['--namespaces', target.namespace, '--lease-namespace', target.namespace];
  const operator = makeOperator({ kubeconfig, folder, guard, args });
  const definitions = await applyDefinitions(api);
  return {
    kubeconfig,
    kubectl: 'kubectl',
    api,
    operator,
    killWorker: ({ name, pod }) => api.delete(kinds.Pod, { namespace: target.namespace, name }, pod === undefined ? {} : { uid: pod.uid }),
    wayToPods: () => routesToPods(api),
    stop: async () => {
      await operator.stop();
      screen.say(`Removing namespace ${target.namespace} …`);
      await removeSample(api, definitions);
      await close();
      if (!operator.isAstray) {
        await rm(folder, { recursive: true, force: true });
        await guard.close();
      }
      const made = definitions.length === 0 ? '' : ` and ${definitions.join(', ')}`;
      return `nothing is left of operator, namespace ${target.namespace}${made}`;
    },
  };
}

const LEASE_MS = 30_000;

type Connection = { readonly api: KubeApi; readonly server: string; readonly close: () => Promise<void> };

function connect(kubeconfig: string): Connection {
  const config = loadKubeConfig({ file: kubeconfig });
  const api = new KubeClient(config, { userAgent: 'swarm-demo' });
  return { api, server: config.getCurrentCluster()?.server ?? '', close: () => config.closeConnections() };
}

/** The demo removes the namespace at its end: it must be its own. And two operators would fight over its pool. */
async function refuseIfInUse(api: KubeApi): Promise<void> {
  const { namespace } = target;
  if (await isThere(api, kinds.Namespace, { name: namespace })) {
    throw new Error(
      `namespace ${namespace} is there already, and the demo would remove it at its end. If it is left over: kubectl delete namespace ${namespace}`,
    );
  }
  const { items } = await api.list(kinds.Lease, undefined, { fieldSelector: 'metadata.name=swarm-operator' });
  const held = items.find((lease) => isHeld(lease, Date.now()));
  if (held !== undefined) {
    throw new Error(
      `an operator runs in this cluster already (Lease ${held.metadata.namespace}/swarm-operator): two would fight over the pool`,
    );
  }
}

/** One that was removed, or killed, leaves its Lease behind. */
function isHeld(lease: KubeObject, now: number): boolean {
  const renewed = Date.parse(asString(dig(lease, 'spec', 'renewTime')) ?? '');
  return (asString(dig(lease, 'spec', 'holderIdentity')) ?? '') !== '' && now - renewed < LEASE_MS;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
