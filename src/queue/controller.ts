// What wakes the queues of a namespace, and what does a decision remember? One decision is about
// all queues of a namespace, so the key is the namespace.
import { kinds } from '../api/kinds.ts';
import { ledgerName, namespaceOfLedger } from '../api/ledger.ts';
import { type KubeObject, refOf } from '../api/objects.ts';
import { slimSwarmJob } from '../api/slim-job.ts';
import type { Decision, Refusal } from '../core/decision.ts';
import { slimQueue } from '../core/known-job.ts';
import type { QueuedJobs } from '../core/queued-jobs.ts';
import { inOneTurn, type Work } from '../core/work.ts';
import type { Change } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Controller, Wake } from '../runtime/engine/controller.ts';
import type { BatchJobs } from '../runtime/store/batch-jobs.ts';
import type { ConfigMaps } from '../runtime/store/config-maps.ts';
import type { Subscription } from '../runtime/watch/subscriptions.ts';
import { decideFailed, decideQueues, type QueueDecision } from './decide.ts';
import { readRequests } from './jobs.ts';
import { mayWait } from './labelled/plain-jobs.ts';
import {
  QueueCaches,
  slimLimitRange,
  slimPriorityClass,
  slimResourceQuota,
  slimRuntimeClass,
} from './observe/caches.ts';
import { observeQueues } from './observe.ts';
import { readLedger } from './read.ts';
import { keyOfQueues, nothingRemembered, type QueueWorld, type RememberedQueues } from './world.ts';

type QueueOptions = {
  readonly clock: Clock;
  readonly batchJobs: BatchJobs;
  readonly configMaps: ConfigMaps;
  /** The operator's own namespace, which contains the ledgers. */
  readonly ledgerNamespace: string;
  /** Ledgers of other namespaces belong to another operator. */
  readonly isWatched: (namespace: string) => boolean;
  /**
   * The operator has rights in the whole cluster, so it may read RuntimeClasses and
   * PriorityClasses.
   */
  readonly isClusterWide: boolean;
  /** Returns a different epoch each time. */
  readonly newEpoch: () => string;
  /** A watch of queues, jobs or pods is broken, so their caches may be outdated. */
  readonly areWatchesBroken: (namespace: string) => boolean;
  readonly queuedJobs: QueuedJobs;
};

type QueueController = Controller<QueueWorld, QueueDecision>;

export const swarmQueueController = (options: QueueOptions): QueueController =>
  new SwarmQueueController(options);

class SwarmQueueController implements QueueController {
  readonly name = kinds.SwarmQueue.kind;
  readonly #options: QueueOptions;
  readonly #caches = new QueueCaches();
  /** The facts that a decision leaves to the next one, by key. */
  readonly #remembered = new Map<string, RememberedQueues>();
  /** Namespaces that have a ledger. */
  readonly #ledgers = new Set<string>();
  /** Namespaces in which a batch Job waits for a queue, even if that queue does not exist. */
  readonly #labelled = new Set<string>();
  #wake: Wake = () => undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  subscriptions(wake: Wake): readonly Subscription[] {
    this.#wake = wake;
    const { batchJobs, configMaps, ledgerNamespace, isClusterWide } = this.#options;
    batchJobs.listen((namespace, changed) => {
      if (changed.some(mayWait)) this.#labelled.add(namespace);
      this.#wakeNamespace(namespace);
    });
    configMaps.listen((change) => this.#takeConfigMap(change));
    const { queues, jobs, resourceQuotas, limitRanges } = this.#caches;
    const cached = (
      kind: Subscription['kind'],
      cache: { apply(change: Change): unknown },
      slim?: (object: KubeObject) => KubeObject,
    ): Subscription => ({
      kind,
      ...(slim !== undefined && { slim }),
      onChange: (change) => {
        cache.apply(change);
        this.#wakeNamespace(change.object.metadata.namespace ?? '');
      },
    });
    return [
      ...batchJobs.subscriptions,
      configMaps.subscription,
      { ...configMaps.subscription, alsoIn: ledgerNamespace, onChange: () => undefined },
      cached(kinds.SwarmQueue, queues, slimQueue),
      cached(kinds.SwarmJob, jobs, slimSwarmJob),
      cached(kinds.ResourceQuota, resourceQuotas, slimResourceQuota),
      cached(kinds.LimitRange, limitRanges, slimLimitRange),
      ...(isClusterWide ? [this.#runtimeClasses, this.#priorityClasses] : []),
    ];
  }

  get #runtimeClasses(): Subscription {
    return {
      kind: kinds.RuntimeClass,
      slim: slimRuntimeClass,
      isOptional: true,
      onChange: (change) => {
        this.#caches.takeRuntimeClass(change);
        this.#wakeAll();
      },
    };
  }

  get #priorityClasses(): Subscription {
    return {
      kind: kinds.PriorityClass,
      slim: slimPriorityClass,
      isOptional: true,
      onChange: (change) => {
        if (this.#caches.takePriorityClass(change)) this.#wakeAll();
      },
    };
  }

  #wakeAll(): void {
    for (const key of this.keys()) this.#wake(key);
  }

  #takeConfigMap({ type, object: { metadata } }: Change): void {
    const { ledgerNamespace, isWatched } = this.#options;
    const namespace = namespaceOfLedger(metadata.name);
    if (namespace === undefined || metadata.namespace !== ledgerNamespace) return;
    if (!isWatched(namespace)) return;
    if (type === 'DELETED') this.#ledgers.delete(namespace);
    else this.#ledgers.add(namespace);
    this.#wake(keyOfQueues(namespace));
  }

  #wakeNamespace(namespace: string): void {
    if (this.#isUsed(namespace)) this.#wake(keyOfQueues(namespace));
  }

  /** In an unused namespace, batch Jobs and ResourceQuotas wake no key. */
  #isUsed(namespace: string): boolean {
    const { queues, jobs } = this.#caches;
    return (
      this.#ledgers.has(namespace) ||
      this.#labelled.has(namespace) ||
      this.#remembered.has(keyOfQueues(namespace)) ||
      queues.has('namespace', namespace) ||
      jobs.has('namespace', namespace)
    );
  }

  keys(): Iterable<string> {
    const { queues, jobs } = this.#caches;
    const namespaces = [...queues.keys(), ...jobs.keys()].map((key) => refOf(key).namespace ?? '');
    return [...new Set([...namespaces, ...this.#ledgers, ...this.#labelled])].map(keyOfQueues);
  }

  async observe(key: string, refused: Refusal | undefined): Promise<QueueWorld | undefined> {
    const { namespace = '' } = refOf(key);
    const { clock, batchJobs, configMaps, ledgerNamespace, queuedJobs, newEpoch } = this.#options;
    const { areWatchesBroken } = this.#options;
    const ledgerRef = { namespace: ledgerNamespace, name: ledgerName(namespace) };
    const ledger = await readLedger(configMaps, ledgerRef);
    const { queues, jobs } = this.#caches;
    if (!batchJobs.in(namespace).some(mayWait)) this.#labelled.delete(namespace);
    const isThere =
      this.#labelled.has(namespace) ||
      queues.has('namespace', namespace) ||
      jobs.has('namespace', namespace);
    if (ledger === undefined && !isThere) return undefined;
    const epoch = queuedJobs.beginEpoch(namespace, newEpoch);
    const remembered = this.#remembered.get(key) ?? nothingRemembered;
    const isOutdated = areWatchesBroken(namespace);
    const before = { epoch, ledgerRef, ledger, isOutdated, remembered, refused };
    return observeQueues({ clock, batchJobs, caches: this.#caches }, namespace, before);
  }

  *decide(world: QueueWorld, now: number): Work<QueueDecision> {
    yield* readRequests(world);
    return yield* inOneTurn(() => decideQueues(world, now));
  }

  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision {
    const { namespace = '' } = refOf(key);
    return decideFailed(this.#caches.queues.by('namespace', namespace), refused, now);
  }

  follow(key: string, { remembered, verdicts }: QueueDecision): void {
    const { verdicts: before } = this.#remembered.get(key) ?? nothingRemembered;
    this.#remembered.set(key, remembered);
    if (verdicts === undefined) return;
    const { namespace = '' } = refOf(key);
    const { queuedJobs } = this.#options;
    for (const [uid, { name }] of before)
      if (!verdicts.has(uid)) queuedJobs.setVerdict({ namespace, name, uid }, undefined);
    for (const [uid, verdict] of verdicts)
      if (before.get(uid) !== verdict)
        queuedJobs.setVerdict({ namespace, name: verdict.name, uid }, verdict);
  }

  /** Withdraws the verdicts on all jobs: the next decision reports them anew. */
  forget(key: string): void {
    const { namespace = '' } = refOf(key);
    const { verdicts } = this.#remembered.get(key) ?? nothingRemembered;
    this.#remembered.delete(key);
    const { queuedJobs } = this.#options;
    // A namespace that could not be read for a while begins a new epoch.
    queuedJobs.endEpoch(namespace);
    for (const [uid, { name }] of verdicts)
      queuedJobs.setVerdict({ namespace, name, uid }, undefined);
  }
}
