// A job under test, with helpers to change and inspect it.
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import type { LedgerContents } from '../../../src/api/ledger.ts';
import { ledgerName } from '../../../src/api/ledger.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmJob, type SwarmJobStatus } from '../../../src/api/validate.ts';
import { orNothing } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import { create, type TestCluster } from './pool.ts';

/** A new namespace with a SwarmQueue `batch`. */
export async function makeQueue(
  { api }: TestCluster,
  namespace: string,
  quota: object = { pods: '4' },
  spec: object = {},
): Promise<void> {
  const metadata = { name: namespace };
  await api.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
  await create(api, kinds.SwarmQueue, namespace, 'batch', { spec: { quota, ...spec } });
}

export async function makeJob(
  cluster: TestCluster,
  namespace: string,
  name: string,
  spec: object,
): Promise<Job> {
  await create(cluster.api, kinds.SwarmJob, namespace, name, {
    spec: { queueName: 'batch', image: 'busybox', ...spec },
  });
  return new Job(cluster, namespace, name);
}

export class Job {
  readonly #cluster: TestCluster;
  readonly namespace: string;
  readonly name: string;

  constructor(cluster: TestCluster, namespace: string, name: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
    this.name = name;
  }

  #get(kind: Kind, name = this.name): Promise<KubeObject> {
    return this.#cluster.api.get(kind, { namespace: this.namespace, name });
  }

  async status(): Promise<SwarmJobStatus> {
    return parseSwarmJob(await this.#get(kinds.SwarmJob)).status ?? {};
  }

  /** Waits, and returns the status that says so. */
  async is(state: NonNullable<SwarmJobStatus['state']>, reason?: string): Promise<SwarmJobStatus> {
    let status: SwarmJobStatus = {};
    await eventually(`${this.name} is ${state} ${reason ?? ''}`, async () => {
      status = await this.status();
      return status.state === state && (reason === undefined || status.reason === reason);
    });
    return status;
  }

  /** Waits until it has ended, as a user does, and returns its status. */
  async finishes(): Promise<SwarmJobStatus> {
    const name = `swarmjob/${this.name}`;
    await this.kubectl('wait', '--for=condition=Finished', name, '--timeout=60s');
    return this.status();
  }

  /** Undefined: there is none. */
  batchJob(): Promise<KubeObject | undefined> {
    return orNothing(this.#get(kinds.Job));
  }

  async pods(): Promise<readonly KubeObject[]> {
    const labelSelector = `k8slab.info/job=${this.name}`;
    const { items } = await this.#cluster.api.list(kinds.Pod, this.namespace, { labelSelector });
    return items;
  }

  async livingPods(): Promise<number> {
    const phases = (await this.pods()).map((pod) => asString(dig(pod, 'status', 'phase')) ?? '');
    return phases.filter((phase) => !['Succeeded', 'Failed'].includes(phase)).length;
  }

  edit(spec: object): Promise<string> {
    const patch = JSON.stringify({ spec });
    return this.kubectl('patch', 'swarmjob', this.name, '--type=merge', '-p', patch);
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.#cluster.kubectl('-n', this.namespace, ...args);
  }

  async isInLedger(): Promise<boolean> {
    const ref = { namespace: 'swarm-operator', name: ledgerName(this.namespace) };
    const found = await orNothing(this.#cluster.api.get(kinds.ConfigMap, ref));
    const text = asString(dig(found, 'data', 'ledger.json')) ?? '{"entries":[]}';
    const { entries }: LedgerContents = JSON.parse(text);
    return entries.some(({ name }) => name === this.name);
  }

  /** All that it had was given back. */
  isGivenBack(): Promise<void> {
    return eventually(`${this.name} has given everything back`, async () => {
      return !(await this.isInLedger()) && (await this.livingPods()) === 0;
    });
  }
}
