// Who tries something? A client with the token of a service account, and a batch Job to try it on.
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../../src/api/objects.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import type { PooledKubeConfig } from '../../../src/runtime/client/config.ts';
import { loadKubeConfig } from '../../../src/runtime/client/load-config.ts';
import type { Swarm } from '../support/swarm.ts';

export class Accounts {
  readonly #swarm: Swarm;
  readonly #open: PooledKubeConfig[] = [];

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  async client(namespace: string, serviceAccount: string): Promise<KubeClient> {
    const file = await this.#swarm.kubeconfigOf(namespace, serviceAccount);
    const config = loadKubeConfig({ file });
    this.#open.push(config);
    // Not the operator's: the comparison of rights ignores what is tried with its token.
    return new KubeClient(config, { userAgent: 'thief' });
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((config) => config.closeConnections()));
  }
}

export type Change = {
  readonly labels?: ObjectMeta['labels'];
  readonly annotations?: ObjectMeta['annotations'];
  readonly owners?: readonly object[];
  readonly spec?: object;
};

export const ownerOf = ({ metadata: { name, uid } }: KubeObject): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmJob',
  name,
  uid,
  controller: true,
});

/** As the operator makes it, but for the change. No node takes its pods. */
export function batchJob(swarmJob: KubeObject, name: string, change: Change = {}): KubeObject {
  const { labels, annotations, owners = [ownerOf(swarmJob)], spec } = change;
  const { namespace } = swarmJob.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: kinds.Job.kind,
    metadata: {
      name,
      namespace,
      labels: labels ?? { 'k8slab.info/job': swarmJob.metadata.name },
      annotations: annotations ?? { 'k8slab.info/grant': '2' },
      ownerReferences: owners,
    } as KubeObject['metadata'],
    spec: {
      suspend: true,
      parallelism: 2,
      template: {
        spec: {
          schedulerName: 'nobody',
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'any' }],
        },
      },
      ...spec,
    },
  };
}

export const swarmJobSpec = (spec: object = {}): object => ({
  spec: { queueName: 'batch', image: 'any', command: ['run'], ...spec },
});
