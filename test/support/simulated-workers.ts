// How can a test run hundreds of workers without a process for each? One kubelet for all of their
// pods, and one server that answers for each.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ASSIGNED_ANNOTATION } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { parsePod } from '../../src/api/observed.ts';
import { PLAYGROUND_LABEL } from '../../src/playground/node/node-object.ts';
import { Registration } from '../../src/playground/node/registration.ts';
import { NodeApi } from '../../src/playground/node/requests.ts';
import type { Change } from '../../src/runtime/client/api.ts';
import { hasCode } from '../../src/runtime/client/errors.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import { endPod, type PodAddress, PodAddresses, readyStatus } from './fake-pods.ts';
import { MountedSlices } from './mounted-slices.ts';

const NODE = 'simulated';
const HEARTBEAT_MS = 2_000;
/** How many pods start at a time. */
const MOST_BUSY = 16;
const RETRY_MS = 500;

type Worker = {
  readonly name: string;
  readonly ref: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly configMaps: readonly string[];
  readonly listening: PodAddress;
  told: string | undefined;
  version: number;
  isReady: boolean;
  /** Its answer to probes. */
  answer: string;
};

/**
 * Acts as node and kubelet for every pod of a cluster without other nodes: binds it, makes it Ready
 * at its own address, and removes it when it is deleted. A worker reads its ConfigMaps when its pod
 * starts and when its annotation changes, as with a kubelet, and never otherwise; it follows what
 * it reads at once.
 */
export class SimulatedWorkers {
  readonly #nodeApi: NodeApi;
  readonly #mounted: MountedSlices;
  readonly #workers = new Map<string, Worker>();
  readonly #byAddress = new Map<string, Worker>();
  readonly #ending = new AbortController();
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #addresses = new PodAddresses(this.#server);
  readonly #queue: (() => Promise<void>)[] = [];
  #busy = 0;

  private constructor(kubeconfig: string) {
    this.#nodeApi = new NodeApi(kubeconfig);
    this.#mounted = new MountedSlices(this.#nodeApi.api);
  }

  /** Left out: the pods of all namespaces. */
  static async start(kubeconfig: string, namespace?: string): Promise<SimulatedWorkers> {
    const simulated = new SimulatedWorkers(kubeconfig);
    const identity = {
      name: NODE,
      hostIP: '127.0.0.1',
      kubeletPort: 1,
      maxPods: 10_000,
      labels: { [PLAYGROUND_LABEL]: 'false' },
    };
    const registration = new Registration(simulated.#nodeApi, identity, systemClock);
    await registration.register();
    simulated.#beat(registration);
    const pods = new Watcher(
      simulated.#nodeApi.api,
      { kind: kinds.Pod, namespace },
      { clock: systemClock },
      (change) => simulated.#onPod(change),
    );
    void pods.run(simulated.#ending.signal);
    await pods.synced;
    return simulated;
  }

  /** The number of existing pods that it has made Ready. */
  get ready(): number {
    return [...this.#workers.values()].filter(({ isReady }) => isReady).length;
  }

  /** By worker: the streams that it reports. */
  get running(): ReadonlyMap<
    string,
    { readonly version: number; readonly jobs: readonly string[] }
  > {
    return new Map(
      [...this.#workers.values()].map(({ name, answer }) => [name, JSON.parse(answer)]),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#addresses.close([...this.#workers.values()].map(({ listening }) => listening));
    await this.#nodeApi.close();
  }

  #beat(registration: Registration): void {
    if (this.#ending.signal.aborted) return;
    const again = (): void => void systemClock.after(HEARTBEAT_MS, () => this.#beat(registration));
    registration.renew().then(again, again);
  }

  #onPod({ type, object }: Change): void {
    const uid = object.metadata.uid ?? '';
    if (type === 'DELETED') this.#forget(uid);
    else if (object.metadata.deletionTimestamp !== undefined)
      this.#soon(uid, () => endPod(this.#nodeApi, object));
    else if (type === 'ADDED') this.#soon(uid, () => this.#begin(object));
    else this.#see(object);
  }

  /** A few at a time; a failed one is retried while its pod exists. */
  #soon(what: string, work: () => Promise<void>): void {
    this.#queue.push(async () => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (this.#ending.signal.aborted || hasCode(error, 'NotFound', 'Conflict', 'Stale'))
            return;
          console.warn(`simulated pod ${what}: ${String(error)}`);
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    });
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#busy >= MOST_BUSY) return;
    this.#busy += 1;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
      await next();
    this.#busy -= 1;
  }

  async #begin(object: KubeObject): Promise<void> {
    const { name, namespace = '', uid = '' } = object.metadata;
    const ref = { name, namespace, uid };
    const worker = this.#workers.get(uid) ?? (await this.#admit(ref, object));
    if (asString(dig(object, 'spec', 'nodeName')) === undefined) await this.#bind(ref);
    await this.#read(worker);
    await this.#nodeApi.patchStatus(ref, readyStatus(worker.listening.address));
    worker.isReady = true;
  }

  /** The pod is bound already when only the response was lost. */
  async #bind(ref: Worker['ref']): Promise<void> {
    await this.#nodeApi.bind(ref, NODE).catch((error: unknown) => {
      if (!hasCode(error, 'Conflict')) throw error;
    });
  }

  async #admit(ref: Worker['ref'], object: KubeObject): Promise<Worker> {
    const listening = await this.#addresses.take();
    const told = parsePod(object).assigned;
    const configMaps = MountedSlices.mountedBy(object);
    const worker: Worker = {
      name: ref.name,
      ref,
      configMaps,
      listening,
      told,
      version: 0,
      isReady: false,
      answer: answerOf(0, [], ref.uid),
    };
    this.#workers.set(ref.uid, worker);
    this.#byAddress.set(listening.address, worker);
    return worker;
  }

  #see(object: KubeObject): void {
    const worker = this.#workers.get(object.metadata.uid ?? '');
    const told = object.metadata.annotations?.[ASSIGNED_ANNOTATION];
    if (worker === undefined || worker.told === told) return;
    worker.told = told;
    this.#read(worker).catch((error: unknown) =>
      console.warn(`simulated pod ${worker.name}: ${String(error)}`),
    );
  }

  async #read(worker: Worker): Promise<void> {
    const slice = await this.#mounted.sliceOf(worker.ref, worker.configMaps);
    if (slice === undefined || slice.version < worker.version) return;
    worker.version = slice.version;
    worker.answer = answerOf(slice.version, slice.jobs, worker.ref.uid);
  }

  #forget(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    this.#workers.delete(uid);
    this.#byAddress.delete(worker.listening.address);
    worker.listening.listener.close(worker.listening.free);
  }

  #serve({ socket }: IncomingMessage, response: ServerResponse): void {
    const worker = this.#byAddress.get(socket.localAddress ?? '');
    response
      .writeHead(worker === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(worker?.answer);
  }
}

const answerOf = (version: number, jobs: readonly string[], podUid: string): string =>
  JSON.stringify({ version, jobs, podUid });
