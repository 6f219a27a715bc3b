// When has everything come to rest? The users wait for it, and clear away what they have left
// behind.
import { type Kind, kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { hasCode, orNothing } from '../../src/runtime/client/errors.ts';
import { eventually } from '../support/processes.ts';
import { isOfSwarmJob, isOver } from './witness/batch-jobs.ts';
import { type Present, unrestIn } from './witness/rest.ts';

export const namespaces = ['walk-a', 'walk-b'] as const;

/** Of jobs that are retried with pauses. */
const REST_SECONDS = 180;
const asides = [kinds.Service, kinds.ConfigMap, kinds.Secret];

export class Rest {
  checks = 0;
  readonly #api: KubeClient;

  constructor(api: KubeClient) {
    this.#api = api;
  }

  /** What is still not as it has to be after a while. */
  async wait(signal: AbortSignal): Promise<readonly string[]> {
    for (const namespace of namespaces) await this.#makePeace(namespace);
    let unrest: readonly string[] = [];
    const isQuiet = async (): Promise<boolean> => {
      unrest = (await Promise.all(namespaces.map((it) => this.#unrest(it)))).flat();
      this.checks += 1;
      return unrest.length === 0 || signal.aborted;
    };
    await eventually('all rests', isQuiet, REST_SECONDS).catch(() => undefined);
    return signal.aborted ? [] : unrest;
  }

  /** Users delete jobs that have ended, and with them their pods. */
  async clearEnded(): Promise<void> {
    for (const namespace of namespaces) {
      const { swarmJobs, batchJobs } = await this.#present(namespace);
      for (const job of swarmJobs)
        if (['Succeeded', 'Failed'].includes(asString(dig(job, 'status', 'state')) ?? ''))
          await this.#delete(kinds.SwarmJob, job);
      for (const job of batchJobs)
        if (isOver(job) && !isOwned(job)) await this.#delete(kinds.Job, job);
    }
  }

  /** Users delete all that they have made. */
  async clear(): Promise<void> {
    for (const namespace of namespaces)
      for (const kind of [kinds.SwarmJob, kinds.Job, kinds.SwarmQueue])
        for (const object of await this.#list(kind, namespace))
          if (!isOwned(object)) await this.#delete(kind, object);
  }

  /** Nothing outside of the queues holds up a job. */
  async #makePeace(namespace: string): Promise<void> {
    for (const quota of await this.#list(kinds.ResourceQuota, namespace))
      await this.#delete(kinds.ResourceQuota, quota);
    for (const { metadata } of await this.#list(kinds.SwarmQueue, namespace)) {
      const body = { spec: { paused: false } };
      await this.#api
        .patch(kinds.SwarmQueue, { namespace, name: metadata.name }, { type: 'merge', body })
        .catch(ignoreGone);
    }
  }

  async #unrest(namespace: string): Promise<readonly string[]> {
    const present = await this.#present(namespace);
    await this.#clearStrays(present);
    return unrestIn(present).map((text) => `${namespace}: ${text}`);
  }

  /** A user has orphaned them, so only a user deletes them: what the operator makes is owned. */
  async #clearStrays({ pods, batchJobs, others }: Present): Promise<void> {
    const strays = [...pods.filter(hasEnded), ...[...batchJobs, ...others].filter(isOfSwarmJob)];
    for (const stray of strays.filter((it) => !isOwned(it))) {
      const kind = [kinds.Pod, kinds.Job, ...asides].find((it) => it.kind === stray.kind);
      if (kind !== undefined) await this.#delete(kind, stray);
    }
    for (const pod of pods.filter(isForgotten)) await this.#release(pod);
  }

  async #release({ metadata: { namespace = '', name } }: KubeObject): Promise<void> {
    const body = { metadata: { finalizers: null } };
    await this.#api
      .patch(kinds.Pod, { namespace, name }, { type: 'merge', body })
      .catch(ignoreGone);
  }

  async #present(namespace: string): Promise<Present> {
    const ledger = { namespace: 'swarm-operator', name: `swarm-ledger-${namespace}` };
    const found = await orNothing(this.#api.get(kinds.ConfigMap, ledger));
    return {
      pods: await this.#list(kinds.Pod, namespace),
      batchJobs: await this.#list(kinds.Job, namespace),
      swarmJobs: await this.#list(kinds.SwarmJob, namespace),
      queues: await this.#list(kinds.SwarmQueue, namespace),
      others: (await Promise.all(asides.map((kind) => this.#list(kind, namespace)))).flat(),
      ledger: asString(dig(found, 'data', 'ledger.json')),
    };
  }

  async #list(kind: Kind, namespace: string): Promise<readonly KubeObject[]> {
    const { items } = await this.#api.list(kind, namespace);
    return items.map((object) => ({ ...object, kind: kind.kind }));
  }

  async #delete(kind: Kind, { metadata: { namespace = '', name } }: KubeObject): Promise<void> {
    await this.#api.delete(kind, { namespace, name }).catch(ignoreGone);
  }
}

const isOwned = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
  ownerReferences.length > 0;
/**
 * It is deleted, and has its finalizer: Kubernetes does not find it for its Job, which is deleted,
 * too, once a user has removed its labels. Only a user can help both.
 */
const isForgotten = (pod: KubeObject): boolean =>
  hasEnded(pod) &&
  pod.metadata.deletionTimestamp !== undefined &&
  pod.metadata.labels?.['batch.kubernetes.io/controller-uid'] === undefined;

const hasEnded = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? '');

function ignoreGone(error: unknown): void {
  if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
}
