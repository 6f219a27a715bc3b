// How long does it take until the pods of an honest job are allowed to start?
import { kinds } from '../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import { HONEST_JOBS } from './arena.ts';
import type { Change } from './honest-pools.ts';

/** A start that takes longer counts as this long. */
const LONGEST_MS = 30_000;
const PACE_MS = 1_000;
const QUEUE = 'batch';
/**
 * A job that is deleted before its pod was seen counts for five seconds more (SEEN_WITHIN_MS): one
 * job each second must never wait for another one.
 */
const QUOTA = { pods: '20', cpu: '2' };
const namespace = HONEST_JOBS;

type Waiting = {
  readonly started: PromiseWithResolvers<number>;
  readonly ideal: PromiseWithResolvers<number>;
};

export class HonestJobs {
  readonly changes: Change[] = [];
  /** Anything that should never have been seen in the honest namespace. */
  readonly wrong: string[] = [];
  readonly #api: KubeClient;
  readonly #waiting = new Map<string, Waiting>();
  readonly #ending = new AbortController();
  #count = 0;

  constructor(api: KubeClient) {
    this.#api = api;
  }

  async watch(): Promise<void> {
    const spec = { quota: QUOTA };
    await this.#api.create(kinds.SwarmQueue, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmQueue',
      metadata: { name: QUEUE, namespace },
      spec,
    });
    const watchers = [
      [kinds.Job, (job: KubeObject) => this.#onBatchJob(job)],
      [kinds.SwarmJob, (job: KubeObject) => this.#onJob(job)],
    ] as const;
    for (const [kind, onChange] of watchers) {
      const options = { clock: systemClock };
      const watcher = new Watcher(
        this.#api,
        { kind, namespace },
        options,
        ({ type, object }) => type !== 'DELETED' && onChange(object),
      );
      void watcher.run(this.#ending.signal);
      await watcher.synced;
    }
  }

  stop(): void {
    this.#ending.abort();
  }

  /** One job after another, one each second, as long as `isWanted`. */
  async submit(isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      const started = performance.now();
      await this.#one();
      const left = PACE_MS - (performance.now() - started);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  async #one(): Promise<void> {
    this.#count += 1;
    const name = `j${this.#count}`;
    const waiting: Waiting = {
      started: Promise.withResolvers(),
      ideal: Promise.withResolvers(),
    };
    this.#waiting.set(name, waiting);
    const at = Date.now();
    const asked = performance.now();
    await this.#api.create(kinds.SwarmJob, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmJob',
      metadata: { name, namespace },
      spec: {
        ...{ queueName: QUEUE, image: 'honest:test', command: ['run'] },
        resources: { requests: { cpu: '100m' } },
      },
    });
    const [startedAt, idealAt] = await Promise.all([
      within(waiting.started.promise),
      within(waiting.ideal.promise),
    ]);
    this.#waiting.delete(name);
    const publishedMs = startedAt - asked;
    this.changes.push({ at, publishedMs, idealMs: idealAt - asked, confirmedMs: publishedMs });
    await this.#api.delete(kinds.SwarmJob, { namespace, name });
    // No kubelet ends its pod.
    for (const { metadata } of (await this.#api.list(kinds.Pod, namespace)).items)
      await this.#api
        .delete(kinds.Pod, { namespace, name: metadata.name }, {}, { gracePeriodSeconds: 0 })
        .catch(() => undefined);
  }

  #onBatchJob({ metadata: { name }, spec }: KubeObject): void {
    const [, control, job] = /^(control-)?(j\d+)$/.exec(name) ?? [];
    if (job === undefined) this.wrong.push(`a batch Job ${name}`);
    if (job === undefined || dig(spec, 'suspend') !== false) return;
    const waiting = this.#waiting.get(job);
    const at = control === undefined ? waiting?.started : waiting?.ideal;
    at?.resolve(performance.now());
  }

  /**
   * The time that an operator without any delay needs: it writes a ledger, then a batch Job, and
   * starts that.
   */
  #onJob({ metadata: { name }, status }: KubeObject): void {
    if (status === undefined && this.#waiting.has(name))
      // A failed write is never seen, and counts as slow.
      this.#writeControl(name).catch(() => undefined);
  }

  async #writeControl(job: string): Promise<void> {
    const ledger = { name: 'control', namespace };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ledger, data: { job } };
    const by = { fieldManager: 'control', force: true };
    await this.#api.patch(kinds.ConfigMap, ledger, { type: 'apply', body, ...by });
    const metadata = { name: `control-${job}`, namespace };
    const containers = [{ name: 'main', image: 'honest:test' }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    await this.#api.create(kinds.Job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { suspend: true, parallelism: 0, template },
    });
    const start = { type: 'merge', body: { spec: { suspend: false } } } as const;
    await this.#api.patch(kinds.Job, metadata, start);
    await this.#waiting.get(job)?.ideal.promise;
    await this.#api.delete(kinds.Job, metadata);
  }
}

function within(promise: Promise<number>): Promise<number> {
  const late = Promise.withResolvers<number>();
  const timer = setTimeout(() => late.resolve(performance.now()), LONGEST_MS);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
