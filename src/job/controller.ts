// What wakes a SwarmJob, and what does a decision about it remember?
import { kinds, metadataOf } from '../api/kinds.ts';
import { type LedgerEntry, namespaceOfLedger, parseLedger } from '../api/ledger.ts';
import { keyOf, type Ref, refOf } from '../api/objects.ts';
import { parseConfigMap } from '../api/observed.ts';
import type { OwnMeta } from '../api/own-object.ts';
import { slimSwarmJob } from '../api/slim-job.ts';
import { hasEnded } from '../api/swarm-job.ts';
import type { SwarmJob } from '../api/validate.ts';
import type { Decision, Refusal } from '../core/decision.ts';
import { isSameJson } from '../core/json.ts';
import { slimQueue } from '../core/known-job.ts';
import type { QueuedJobs } from '../core/queued-jobs.ts';
import { inOneTurn, type Work } from '../core/work.ts';
import type { Change, KubeApi } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Controller, Wake } from '../runtime/engine/controller.ts';
import type { Creations } from '../runtime/store/creations.ts';
import type { Store } from '../runtime/store/store.ts';
import type { Subscription } from '../runtime/watch/subscriptions.ts';
import { withOwnEnd } from './attempt/rank-ends.ts';
import { decideFailed, decideJob, type JobDecision } from './decide.ts';
import { hostsName } from './make/hosts.ts';
import { inNamespace, JobCaches, slimChild } from './observe/caches.ts';
import { observeJob } from './observe.ts';
import {
  mustReadPods,
  readIsGone,
  readIsUnreported,
  readLedgerOf,
  readPodsOf,
  readSpecOf,
  seemsDeleted,
} from './read.ts';
import { type JobWorld, nothingRemembered, type RememberedJob } from './world.ts';

type SwarmJobOptions = {
  /** Omitted: jobs and pods come only from watches. */
  readonly api?: Pick<KubeApi, 'list'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'batchJobs' | 'configMaps'>;
  /** Omitted: the status does not say why pods are missing. */
  readonly creations?: Creations;
  /** The operator's own namespace, which contains the ledgers. */
  readonly ledgerNamespace: string;
  readonly queuedJobs: QueuedJobs;
  /** A watch of queues, jobs or pods is broken, so their caches may be stale. */
  readonly areWatchesBroken: (namespace: string) => boolean;
};

type JobController = Controller<JobWorld, JobDecision>;

export const swarmJobController = (options: SwarmJobOptions): JobController =>
  new SwarmJobController(options);

/**
 * The grant of each job in a ledger and the job that takes its place, if any, by UID of the job.
 */
type Grants = { readonly epoch: string; readonly byUid: ReadonlyMap<string, string> };

class SwarmJobController implements JobController {
  readonly name = kinds.SwarmJob.kind;
  readonly #options: SwarmJobOptions;
  readonly #caches = new JobCaches();
  /** The facts that a decision leaves to the next one, by key. */
  readonly #remembered = new Map<string, RememberedJob>();
  /** By namespace. Missing if the last change of the ledger came without its contents. */
  readonly #grants = new Map<string, Grants>();
  #wake: Wake = () => undefined;

  constructor(options: SwarmJobOptions) {
    this.#options = options;
  }

  subscriptions(wake: Wake): readonly Subscription[] {
    this.#wake = wake;
    const { batchJobs, configMaps } = this.#options.store;
    this.#options.queuedJobs.listen((job) => this.#wakeIfThere(job));
    batchJobs.listen((namespace, jobs, labelled) => {
      for (const name of new Set([...jobs.map((it) => it.name), ...labelled]))
        this.#wakeIfThere({ namespace, name });
    });
    configMaps.listen((change) => this.#takeLedger(change));
    return [
      ...batchJobs.subscriptions,
      configMaps.subscription,
      {
        kind: metadataOf(kinds.ConfigMap),
        slim: slimChild,
        alsoIn: this.#options.ledgerNamespace,
        onChange: (change) => this.#takeHosts(change),
      },
      {
        kind: metadataOf(kinds.Service),
        slim: slimChild,
        onChange: (change) => {
          this.#caches.services.apply(change);
          this.#wakeIfThere(change.object.metadata);
        },
      },
      { kind: kinds.SwarmQueue, slim: slimQueue, onChange: (change) => this.#takeQueue(change) },
      { kind: kinds.SwarmJob, slim: slimSwarmJob, onChange: (change) => this.#takeJob(change) },
    ];
  }

  #wakeIfThere({ namespace = '', name }: Ref): void {
    if (this.#caches.jobs.get({ namespace, name }) !== undefined)
      this.#wake(keyOf({ namespace, name }));
  }

  #wakeAll(jobs: readonly SwarmJob[]): void {
    for (const { meta } of jobs) this.#wake(keyOf(meta));
  }

  #takeJob(change: Change): void {
    const { after } = this.#caches.jobs.apply(change);
    const key = keyOf(change.object.metadata);
    this.#options.queuedJobs.replaced(refOf(key), after?.meta.uid);
    this.#wake(key);
  }

  #takeHosts(change: Change): void {
    const { namespace = '', name } = change.object.metadata;
    if (!name.endsWith(hostsName(''))) return;
    this.#caches.hosts.apply(change);
    this.#wakeIfThere({ namespace, name: name.slice(0, -hostsName('').length) });
  }

  /** Wakes the jobs of a queue whose defaults have changed, including running and ended ones. */
  #takeQueue(change: Change): void {
    const { before, after } = this.#caches.queues.apply(change);
    if (isSameJson(before ?? {}, after ?? {})) return;
    const { namespace = '', name } = change.object.metadata;
    const jobs = this.#caches.jobs.by('queue', inNamespace(namespace, name));
    this.#wakeAll(jobs.filter((job) => !this.#plainlyWaits(job)));
  }

  /** Wakes the jobs whose entries have changed, or may have changed. */
  #takeLedger({ type, object }: Change): void {
    const { metadata } = object;
    const namespace = namespaceOfLedger(metadata.name);
    if (namespace === undefined || metadata.namespace !== this.#options.ledgerNamespace) return;
    const known = this.#grants.get(namespace);
    const after = type === 'DELETED' || !('data' in object) ? undefined : grantsIn(object);
    if (after === undefined) this.#grants.delete(namespace);
    else this.#grants.set(namespace, after);
    // In another term, any admitted job may begin.
    const isOfOtherTerm = known !== undefined && known.epoch !== after?.epoch;
    const before = isOfOtherTerm && after !== undefined ? undefined : known;
    const { jobs } = this.#caches;
    if (before === undefined || after === undefined) {
      const maybe = jobs.by('namespace', namespace).filter((job) => !hasEnded(job));
      this.#wakeAll(maybe.filter((job) => !this.#plainlyWaits(job)));
    }
    const uids = [before, after].flatMap((it) => [...(it?.byUid.keys() ?? [])]);
    for (const uid of new Set(uids))
      if (before?.byUid.get(uid) !== after?.byUid.get(uid))
        this.#wakeAll(jobs.by('uid', inNamespace(namespace, uid)));
  }

  /** The status shows the verdict of the queue already; the queue reports each change of it. */
  #plainlyWaits({ meta, status }: SwarmJob): boolean {
    const { reason, message } = this.#options.queuedJobs.verdictOn(meta) ?? {};
    return status?.state === 'Waiting' && status.reason === reason && status.message === message;
  }

  keys(): Iterable<string> {
    return this.#caches.jobs.keys();
  }

  async observe(key: string, refused: Refusal | undefined): Promise<JobWorld | undefined> {
    const { api, clock, store, creations, ledgerNamespace, queuedJobs } = this.#options;
    const { areWatchesBroken } = this.#options;
    const { jobs } = this.#caches;
    const ref = refOf(key);
    const { namespace = '' } = ref;
    const before = jobs.get(ref);
    if (before === undefined) return undefined;
    const { configMaps, batchJobs } = store;
    const ledger = await readLedgerOf(configMaps, ledgerNamespace, namespace);
    const remembered = this.#remembered.get(key) ?? nothingRemembered;
    const knownOf = (job: SwarmJob) => {
      const batchJob = batchJobs.get(ref);
      const named =
        batchJob && withOwnEnd({ job, batchJob, pods: batchJobs.podsOf(batchJob), remembered });
      return { job, named, ledger, remembered };
    };
    const known = knownOf(before);
    const isGone = api !== undefined && (await readIsGone(api, known));
    const isUnreported = api && (await readIsUnreported(api, known));
    const pods = api && (await readPodsOf(api, known));
    const spec = api && (await readSpecOf(api, known));
    const present = jobs.get(ref);
    if (present === undefined) return undefined;
    // If the status or the batch Job has changed meanwhile, more may have to be read.
    const isMore =
      (pods === undefined && mustReadPods(knownOf(present))) ||
      (isUnreported === undefined && seemsDeleted(knownOf(present)));
    if (api !== undefined && isMore) return this.observe(key, refused);
    const job = spec === undefined ? present : withSpec(present, before.meta, spec);
    return observeJob({ clock, batchJobs, caches: this.#caches }, job, {
      isGone: isGone && job.meta.uid === before.meta.uid,
      isUnreported: isUnreported === true,
      ledger,
      epoch: queuedJobs.epochIn(namespace),
      isOutdated: areWatchesBroken(namespace),
      pods,
      creationFailures: creations?.failuresOf(key) ?? new Map(),
      waits: queuedJobs.verdictOn(job.meta),
      remembered,
      refused,
    });
  }

  decide(world: JobWorld, now: number): Work<JobDecision> {
    return inOneTurn(() => decideJob(world, now));
  }

  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision | undefined {
    const job = this.#caches.jobs.get(refOf(key));
    return job === undefined ? undefined : decideFailed(job, refused, now);
  }

  follow(key: string, { remembered, lacking }: JobDecision): void {
    this.#remembered.set(key, remembered);
    this.#options.creations?.follow(key, lacking);
  }

  forget(key: string): void {
    this.#remembered.delete(key);
    this.#options.creations?.follow(key, []);
  }

  paused(): void {
    this.#options.creations?.forgetAll();
  }
}

/** Ignores the spec if the job was edited or replaced meanwhile: the watch has reported that. */
const withSpec = (known: SwarmJob, { uid, generation }: OwnMeta, spec: SwarmJob['spec']) =>
  known.meta.uid === uid && known.meta.generation === generation
    ? { ...known, spec, isWithheld: false }
    : known;

const grantsIn = (object: Change['object']): Grants => {
  const { epoch, entries } = parseLedger(parseConfigMap(object));
  const grantOf = ({ grant, preempted }: LedgerEntry) => `${grant} ${preempted?.uid ?? ''}`;
  return { epoch, byUid: new Map(entries.map((entry) => [entry.uid, grantOf(entry)])) };
};
