// Which node makes an attacker's pods Ready? One like any other; the attacker itself listens at the
// pods' addresses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ASSIGNED_ANNOTATION } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import type { KubeObject } from '../../src/api/objects.ts';
import { NodeApi } from '../../src/playground/node/requests.ts';
import type { Change } from '../../src/runtime/client/api.ts';
import { hasCode } from '../../src/runtime/client/errors.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import { endPod, type PodAddress, PodAddresses, readyStatus } from '../support/fake-pods.ts';
import { answer } from './answers.ts';
import { IMPOSTOR } from './attacks/pods.ts';
import type { Victim } from './tenant.ts';

/** Of pods that end as soon as they have started, by their label. */
const exitCodes: Readonly<Record<string, number>> = { fails: 1, ends: 0 };

const endedStatus = (exitCode: number): object => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      ...{ name: 'main', image: 'hostile:test', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode, reason: 'Ended' } },
    },
  ],
});

type Worker = {
  readonly uid: string;
  readonly name: string;
  readonly how: string;
  readonly listening: PodAddress;
  assigned: string | undefined;
};

export class HostileKubelet {
  readonly #nodeApi: NodeApi;
  readonly #victim: Victim;
  readonly #workers = new Map<string, Worker>();
  readonly #ending = new AbortController();
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #addresses = new PodAddresses(this.#server);
  /**
   * Impostors that the operator took for the worker whose name they have: the operator must never
   * nudge them.
   */
  readonly believed = new Set<string>();

  private constructor(kubeconfig: string, victim: Victim) {
    this.#nodeApi = new NodeApi(kubeconfig);
    this.#victim = victim;
  }

  static async start(
    kubeconfig: string,
    namespaces: readonly string[],
    victim: Victim,
  ): Promise<HostileKubelet> {
    const kubelet = new HostileKubelet(kubeconfig, victim);
    for (const namespace of namespaces) {
      const pods = new Watcher(
        kubelet.#nodeApi.api,
        { kind: kinds.Pod, namespace },
        { clock: systemClock },
        (change) => kubelet.#onPod(change),
      );
      void pods.run(kubelet.#ending.signal);
      await pods.synced;
    }
    return kubelet;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#addresses.close([...this.#workers.values()].map(({ listening }) => listening));
    await this.#nodeApi.close();
  }

  #onPod({ type, object }: Change): void {
    const uid = object.metadata.uid ?? '';
    if (type === 'DELETED') this.#forget(uid);
    else if (object.metadata.deletionTimestamp !== undefined)
      void this.#try(() => endPod(this.#nodeApi, object));
    else if (type === 'ADDED') void this.#try(() => this.#begin(object));
    else this.#see(object);
  }

  /**
   * A failure means that the pod was deleted meanwhile, or the API server is overloaded: the test
   * needs no attacker's pod.
   */
  async #try(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (!this.#ending.signal.aborted && !hasCode(error, 'NotFound', 'Conflict', 'Stale'))
        console.warn(`hostile pod: ${String(error)}`);
    });
  }

  #see({ metadata: { uid = '', annotations, namespace, name } }: KubeObject): void {
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    worker.assigned = annotations?.[ASSIGNED_ANNOTATION];
    if (worker.how === IMPOSTOR && worker.assigned !== undefined)
      this.believed.add(`${namespace}/${name}`);
  }

  async #begin({ metadata }: KubeObject): Promise<void> {
    const { name, namespace = '', uid = '', labels } = metadata;
    if (this.#workers.has(uid)) return;
    const listening = await this.#addresses.take();
    this.#workers.set(uid, {
      uid,
      name,
      how: labels?.['answers'] ?? 'truth',
      listening,
      assigned: metadata.annotations?.[ASSIGNED_ANNOTATION],
    });
    const ref = { name, namespace, uid };
    await this.#nodeApi.patchStatus(ref, readyStatus(listening.address));
    const exitCode = exitCodes[labels?.['answers'] ?? ''];
    if (exitCode !== undefined) await this.#nodeApi.patchStatus(ref, endedStatus(exitCode));
  }

  #forget(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    this.#workers.delete(uid);
    worker.listening.listener.close(worker.listening.free);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => undefined);
    const worker = [...this.#workers.values()].find(
      ({ listening }) => listening.address === request.socket.localAddress,
    );
    if (worker === undefined) response.writeHead(404).end();
    else
      answer(
        worker.how,
        { uid: worker.uid, assigned: worker.assigned, victim: this.#victim },
        request,
        response,
      );
  }
}
