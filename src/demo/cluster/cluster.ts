// What the demo needs of a cluster, its own or a given one.
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { loadKubeConfig } from '../../runtime/client/load-config.ts';
import type { Kubectl } from './kubectl.ts';
import type { WorkerObservation } from './observation.ts';
import type { DemoOperator } from './operator.ts';
import type { PoolName } from './sample.ts';

/** `typed`: the command by which a user would do the same. */
export type DemoAction = { readonly typed: string; run(): Promise<void> };

export type DemoCluster = {
  readonly kubeconfig: string;
  readonly config: PooledKubeConfig;
  readonly kubectl: Kubectl;
  /** The folder of a sample, for `kubectl apply -k`. */
  sampleFolder(name: PoolName): string;
  readonly api: KubeApi;
  readonly operator: DemoOperator;
  /** SIGKILL to its processes on this machine; in a given cluster its pod is deleted. */
  killWorker(worker: WorkerObservation): DemoAction;
  /** Advice for when this machine reaches no pod. */
  wayToPods(): Promise<readonly string[]>;
  /** Ends and removes all that the demo made; returns what that was. */
  stop(): Promise<string>;
};

export function connect(kubeconfig: string) {
  const config = loadKubeConfig({ file: kubeconfig });
  return { config, api: new KubeClient(config, { userAgent: 'swarm-demo' }) };
}
