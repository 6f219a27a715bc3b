// Starts a Kubernetes of the demo's own on this machine.
import type { Screen } from '../../cli/views/screen.ts';
import { findBinaries } from '../../playground/binaries/binaries.ts';
import { kubernetesVersion } from '../../playground/binaries/releases.ts';
import { startPlayground } from '../../playground/playground.ts';
import { signalIfThere } from '../../playground/processes/processes.ts';
import type { Interrupt } from '../interrupt.ts';
import { connect, type DemoCluster, makeOperator } from './cluster.ts';
import { makeKubectl } from './kubectl.ts';
import { applyDefinitions, folderOf } from './sample.ts';

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
  const { api, config } = connect(kubeconfig);
  const operator = await makeOperator(plane.dir, { kubeconfig, guard });
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
      return 'nothing is left of operator, workers and Kubernetes';
    },
  };
}
