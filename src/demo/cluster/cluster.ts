// What does the demo need of a Kubernetes, whichever it is?
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeClient } from '../../runtime/client/client.ts';
import { loadKubeConfig, type PooledKubeConfig } from '../../runtime/client/config.ts';
import type { Kubectl } from './kubectl.ts';
import type { WorkerObservation } from './observation.ts';
import type { DemoOperator } from './operator.ts';

/** What the demo does next, as a user would type it. */
export type DemoAction = { readonly typed: string; run(): Promise<void> };

export type DemoCluster = {
  readonly kubeconfig: string;
  readonly config: PooledKubeConfig;
  readonly kubectl: Kubectl;
  /** For the demo's own files; goes with it. */
  readonly folder: string;
  readonly api: KubeApi;
  readonly operator: DemoOperator;
  /** By SIGKILL to its processes where they are at hand, by deletion of its pod elsewhere. */
  killWorker(worker: WorkerObservation): DemoAction;
  /** What to do when no pod can be reached from here. */
  wayToPods(): Promise<readonly string[]>;
  /** Ends and removes all that the demo made; tells what that was. */
  stop(): Promise<string>;
};

export function connect(kubeconfig: string) {
  const config = loadKubeConfig({ file: kubeconfig });
  return { config, api: new KubeClient(config, { userAgent: 'swarm-demo' }) };
}
