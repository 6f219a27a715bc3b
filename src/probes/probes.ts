// What does each worker say it runs? Probes all workers over HTTP, and keeps their last answers.
import type { ProbeAnswer, ReportBound, WorkerProbe } from '../api/report.ts';
import type { Clock } from '../runtime/clock.ts';
import { Connections } from './connections.ts';
import {
  aheadOf,
  failureAt,
  type Heard,
  hasJustFailed,
  type LastAnswer,
  lastAnswerAfter,
  NO_ANSWER,
  nextFailureCounts,
  readAnswer,
} from './last-answer.ts';
import { ProbePermits } from './permits.ts';
import { ReadingBudget } from './reading-budget.ts';
import { ProbeScheduler, pauseMs, type Rank } from './scheduler.ts';
import type { ProbeTrust } from './trust.ts';

/** A quarter is for one pool, half of that for slow or silent workers: those of a whole node. */
const CONCURRENCY = 256;
/** A worker that took so long gives way to workers that answer at once. */
const SLOW_MS = 1_000;
/** After so many probes a worker gives way to those that were nudged since. */
const OFTEN = 4;
/** After the first failure of a worker that answered before. */
const RETRY_MS = 1_000;
const AUDIT_MS = 30_000;
/** A worker with a stream that fails is probed so much more often, and not for ever. */
const WATCH_MS = 5_000;
const WATCHED_PROBES = 60;
/** Answers of one pool that come within this time wake it once: a decision costs more. */
const TOGETHER_MS = 25;

type WorkerProbesOptions = {
  readonly clock: Clock;
  /** How many probes may be under way at a time, over all pools. */
  readonly concurrency?: number;
  readonly auditMs?: number;
  /** How long an answer may take. */
  readonly answerMs?: number;
  /** An answer differs from the one before. */
  readonly onChange: (key: string) => void;
  readonly trust?: () => ProbeTrust;
  /** Stands in for the request in tests with virtual time. */
  readonly get?: (url: string) => Promise<string>;
};

type Pool = {
  readonly key: string;
  /** By pod UID. A pod that passes from one pool to another is a worker of each for a while. */
  readonly workers: Map<string, Worker>;
  /** Their answers by pod UID; undefined: one has changed since they were gathered. */
  answers: Readonly<Record<string, ProbeAnswer>> | undefined;
  /** How many of them have something to confirm. */
  outstanding: number;
};

type Worker = {
  readonly pool: Pool;
  probe: WorkerProbe;
  last: LastAnswer;
  /** Probes since what it is to confirm last changed. */
  probed: number;
  /** Probes since it is watched. */
  watched: number;
  cancel: () => void;
  isUnderWay: boolean;
  isSlow: boolean;
};

/**
 * Guarantees: a worker has one probe under way at a time, and none once it is dropped; at most
 * `concurrency` probes are under way, shared among pools and namespaces (permits.ts); pools take
 * turns at one pace for all (scheduler.ts); the bytes read are bounded for each answer, and for
 * each pool by the second (reading-budget.ts).
 */
export class WorkerProbes {
  readonly #options: WorkerProbesOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #connections: Connections;
  readonly #scheduler: ProbeScheduler<Worker>;
  readonly #permits: ProbePermits;
  readonly #budget: ReadingBudget;
  #cancelWait: () => void = () => undefined;
  /** Pools with a changed answer that is held back for others; cancels the timer that ends this. */
  readonly #changed = new Map<string, () => void>();

  constructor(options: WorkerProbesOptions) {
    this.#options = options;
    this.#connections = new Connections(options.answerMs, options.trust);
    this.#scheduler = new ProbeScheduler(options.clock);
    this.#permits = new ProbePermits(options.concurrency ?? CONCURRENCY);
    this.#budget = new ReadingBudget(options.clock);
  }

  /** By pod UID. The same object while no answer has changed. */
  answersOf(key: string): Readonly<Record<string, ProbeAnswer>> {
    const pool = this.#pools.get(key);
    if (pool === undefined) return {};
    pool.answers ??= answersIn(pool.workers);
    return pool.answers;
  }

  /** Workers that have not been probed since what they are to confirm has changed. */
  unprobedOf(key: string): ReadonlySet<string> {
    const unprobed = new Set<string>();
    for (const [uid, { probe, probed }] of this.#pools.get(key)?.workers ?? [])
      if (probe.isOutstanding && probed === 0) unprobed.add(uid);
    return unprobed;
  }

  /** From now on, these are the workers of the pool; all others are dropped. */
  probe(key: string, probes: readonly WorkerProbe[]): void {
    const pool = this.#pools.get(key) ?? newPool(key);
    const wanted = new Set(probes.map(({ podUid }) => podUid));
    for (const [uid, worker] of pool.workers) {
      if (wanted.has(uid)) continue;
      worker.cancel();
      pool.workers.delete(uid);
      pool.answers = undefined;
    }
    if (wanted.size === 0) {
      this.#pools.delete(key);
      this.#changed.get(key)?.();
      this.#changed.delete(key);
      this.#budget.forget(key);
      return;
    }
    this.#pools.set(key, pool);
    pool.outstanding = probes.filter(({ isOutstanding }) => isOutstanding).length;
    for (const probe of probes) this.#accept(pool, probe);
  }

  /** Another replica leads now, or the process ends. */
  forgetAll(): void {
    for (const key of [...this.#pools.keys()]) this.probe(key, []);
  }

  async stop(): Promise<void> {
    this.forgetAll();
    this.#cancelWait();
    await this.#connections.stop();
  }

  #accept(pool: Pool, probe: WorkerProbe): void {
    const present = pool.workers.get(probe.podUid);
    if (present === undefined) {
      const unknown = { last: NO_ANSWER, probed: 0, watched: 0, isUnderWay: false, isSlow: false };
      const worker: Worker = { pool, probe, ...unknown, cancel: () => undefined };
      pool.workers.set(probe.podUid, worker);
      this.#queue(worker);
      return;
    }
    const isElsewhere = present.probe.url !== probe.url;
    const isNew =
      isElsewhere ||
      present.probe.awaiting !== probe.awaiting ||
      (probe.isOutstanding && !present.probe.isOutstanding);
    const isWatchedNow = probe.isWatched === true && present.probe.isWatched !== true;
    // Until it has confirmed, it may still run what it was assigned before.
    present.probe = probe.isOutstanding
      ? { ...probe, most: larger(present.probe.most, probe.most) }
      : probe;
    if (isWatchedNow || isNew) present.watched = 0;
    if (!isNew || !(probe.isOutstanding || isElsewhere)) {
      if (isWatchedNow) this.#queueIn(this.#pauseOf(present), present);
      return;
    }
    present.probed = 0;
    // A worker that answered needs some time to follow; another address may be another pod's.
    if (isElsewhere || present.last.answer?.ok !== true) {
      present.cancel();
      this.#queue(present);
    } else this.#queueIn(pauseMs(0, pool.outstanding), present);
  }

  #isCurrent(worker: Worker): boolean {
    return worker.pool.workers.get(worker.probe.podUid) === worker;
  }

  #queueIn(ms: number, worker: Worker): void {
    worker.cancel();
    worker.cancel = this.#options.clock.after(ms, () => this.#queue(worker));
  }

  #queue(worker: Worker): void {
    if (worker.isUnderWay) return;
    worker.isUnderWay = true;
    this.#scheduler.add(worker, worker.pool.key, rankOf(worker));
    this.#next();
  }

  #next(): void {
    this.#cancelWait();
    while (!this.#permits.isFull) {
      const next = this.#scheduler.take((rank) => this.#permits.open(rank));
      if (next === undefined) return;
      if ('waitMs' in next) {
        this.#cancelWait = this.#options.clock.after(next.waitMs, () => this.#next());
        return;
      }
      void this.#probe(next.it);
    }
  }

  async #probe(worker: Worker): Promise<void> {
    if (!this.#isCurrent(worker)) return;
    const { probe, pool } = worker;
    const { clock } = this.#options;
    const waitMs = this.#budget.waitMs(pool.key);
    if (waitMs > 0) {
      worker.isUnderWay = false;
      this.#queueIn(waitMs, worker);
      return;
    }
    const permit = this.#permits.acquire(pool.key, isFailing(worker), probe.most.bytes);
    const probedAt = clock.monotonic();
    const heard = await this.#request(worker);
    worker.isSlow = clock.monotonic() - probedAt >= SLOW_MS;
    this.#permits.release(permit);
    worker.isUnderWay = false;
    if (this.#isCurrent(worker)) this.#keep(worker, probe.url, heard);
    if (this.#permits.probesOf(pool.key) === 0) this.#report(pool.key);
    this.#next();
  }

  async #request(worker: Worker): Promise<Heard> {
    const { url, isOutstanding, most } = worker.probe;
    const { get } = this.#options;
    const onRead = (bytes: number): void => this.#budget.charge(worker.pool.key, bytes);
    try {
      if (get === undefined) {
        const request = { isLast: !isOutstanding, mostBytes: most.bytes, onRead };
        const { body, date } = await this.#connections.get(url, request);
        const aheadMs = aheadOf(worker.last, date, this.#options.clock.now());
        return readAnswer(worker.last, url, body, most, aheadMs);
      }
      const body = Buffer.from(await get(url));
      onRead(body.length);
      return readAnswer(worker.last, url, body, most);
    } catch (error) {
      return failureAt(url, error);
    }
  }

  #keep(worker: Worker, url: string, heard: Heard): void {
    if (worker.probe.url !== url) {
      // It has moved meanwhile, and the old address may be another pod's: the next failure counts.
      if (!heard.answer.ok) worker.last = nextFailureCounts(worker.last);
      this.#queue(worker);
      return;
    }
    const { pool, last: before } = worker;
    worker.last = lastAnswerAfter(before, url, heard);
    if (worker.last.answer !== before.answer) pool.answers = undefined;
    worker.probed += 1;
    worker.watched += 1;
    this.#queueIn(this.#pauseOf(worker), worker);
    if (worker.last.answer === before.answer || this.#changed.has(pool.key)) return;
    const cancel = this.#options.clock.after(TOGETHER_MS, () => this.#report(pool.key));
    this.#changed.set(pool.key, cancel);
  }

  #pauseOf({ pool, probe, probed, watched, last }: Worker): number {
    if (hasJustFailed(last)) return RETRY_MS;
    if (probe.isOutstanding) return pauseMs(probed, pool.outstanding);
    const auditMs = this.#options.auditMs ?? AUDIT_MS;
    const isWatched = probe.isWatched === true && watched < WATCHED_PROBES;
    return isWatched ? Math.min(WATCH_MS, auditMs) : auditMs;
  }

  /** Reports a changed answer of the pool, if there is one. */
  #report(key: string): void {
    const cancel = this.#changed.get(key);
    if (cancel === undefined) return;
    cancel();
    this.#changed.delete(key);
    this.#options.onChange(key);
  }
}

function answersIn(workers: ReadonlyMap<string, Worker>): Readonly<Record<string, ProbeAnswer>> {
  const answers: Record<string, ProbeAnswer> = {};
  for (const [uid, { last }] of workers) if (last.answer !== undefined) answers[uid] = last.answer;
  return answers;
}

const newPool = (key: string): Pool => ({
  ...{ key, workers: new Map(), answers: undefined, outstanding: 0 },
});

const larger = (a: ReportBound, b: ReportBound): ReportBound => ({
  jobs: Math.max(a.jobs, b.jobs),
  bytes: Math.max(a.bytes, b.bytes),
});

const isFailing = ({ last, isSlow }: Worker): boolean => isSlow || last.answer?.ok === false;

function rankOf(worker: Worker): Rank {
  if (isFailing(worker)) return 'failing';
  if (worker.probe.isOutstanding && worker.probed < OFTEN) return 'new';
  return worker.last.answer === undefined ? 'unknown' : 'pending';
}
