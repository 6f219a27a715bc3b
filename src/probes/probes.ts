// What does each worker say it runs? Asked over HTTP: quickly while something is outstanding, now
// and then otherwise.
import { hash } from 'node:crypto';
import { errorText } from '../api/error-text.ts';
import type { ProbeAnswer } from '../api/report.ts';
import {
  type ReportBound,
  readBoundedReport,
  tooManyJobs,
  type WorkerReport,
} from '../api/report.ts';
import type { WorkerProbe } from '../core/worker-probe.ts';
import type { Clock } from '../runtime/clock.ts';
import { Connections } from './connections.ts';
import { hasJustFailed, type LastAnswer, lastAnswerAfter, NO_ANSWER } from './last-answer.ts';
import { ProbePlaces } from './places.ts';
import { ReadingBudget } from './reading-budget.ts';
import { ProbeScheduler, type Rank } from './scheduler.ts';

/**
 * A pool gets a quarter of them at most, half of that for slow or silent workers: enough for a
 * whole node of those every few seconds.
 */
const CONCURRENCY = 256;
/** A worker that took so long gives way to workers that answer at once. */
const SLOW_MS = 1_000;
/** Files of a kubelet that was told follow within 30 ms to a second, at any moment of it. */
const QUICK_MS = [50, 50, 100, 100, 100, 100, 100, 150, 150, 150, 200, 200, 400, 800];
const QUICK_AT_LAST_MS = 1_000;
/**
 * The more are outstanding, the slower each is asked: so many questions cost workers and operator
 * more than an answer sooner is worth.
 */
const QUICK_PER_WORKER_MS = 2;
/**
 * After a minute of quick questions the worker is slow or silent: it is asked on, but it must not
 * cost what the others need.
 */
const QUICK_QUESTIONS = 60;
const PATIENT_MS = 10_000;
/** After so many questions it gives way to those that were told since. */
const OFTEN = 4;
const AUDIT_MS = 30_000;
/**
 * Answers of one pool that come together are told together: a decision costs more than an answer,
 * and one is enough for all.
 */
const TOGETHER_MS = 25;
/** Of an error's text. */
const LONGEST_REASON = 256;

export type WorkerProbesOptions = {
  readonly clock: Clock;
  /** How many questions may be under way at a time, over all pools. */
  readonly concurrency?: number;
  readonly auditMs?: number;
  /** How long an answer may take. */
  readonly answerMs?: number;
  /** An answer differs from the one before. */
  readonly onChange: (key: string) => void;
  /** Stands in for the request in tests with virtual time. */
  readonly get?: (url: string) => Promise<string>;
};

type Worker = {
  probe: WorkerProbe;
  readonly key: string;
  last: LastAnswer;
  /** Questions since what is awaited last changed. */
  probed: number;
  cancel: () => void;
  isUnderWay: boolean;
  isSlow: boolean;
  /** Digest of the newest answer that was a report. */
  digest: string;
};

/**
 * Guarantees: a worker is asked by one question at a time, and no more once it is dropped; at most
 * `concurrency` questions are under way, each pool and namespace has its share of them, and those
 * that were slow or failed last time hold at most half (see places.ts). However many there are,
 * questions take no more than their part of the processor, and pools take turns (see turns.ts).
 * What is read of a pool is bounded for each answer and for each second (see reading-budget.ts).
 */
export class WorkerProbes {
  readonly #options: WorkerProbesOptions;
  /**
   * By key and pod UID: when a target passes from one pool to another, what the first forgets stays
   * with the second.
   */
  readonly #byKey = new Map<string, Map<string, Worker>>();
  readonly #connections: Connections;
  /** By key: how many have not confirmed what they were told. */
  readonly #outstanding = new Map<string, number>();
  readonly #turns: ProbeScheduler<Worker>;
  readonly #places: ProbePlaces;
  readonly #budget: ReadingBudget;
  #cancelWait: () => void = () => undefined;
  /** By key: news that waits for what else is under way. */
  readonly #news = new Map<string, () => void>();

  constructor(options: WorkerProbesOptions) {
    this.#options = options;
    this.#connections = new Connections(options.answerMs);
    this.#turns = new ProbeScheduler(options.clock);
    this.#places = new ProbePlaces(options.concurrency ?? CONCURRENCY);
    this.#budget = new ReadingBudget(options.clock);
  }

  answersOf(key: string): Readonly<Record<string, ProbeAnswer>> {
    const workers = [...(this.#byKey.get(key) ?? [])];
    return Object.fromEntries(
      workers.flatMap(([uid, { last }]) => (last.answer === undefined ? [] : [[uid, last.answer]])),
    );
  }

  /** Those who were not heard since what they are to confirm has changed. */
  unprobedOf(key: string): ReadonlySet<string> {
    const workers = [...(this.#byKey.get(key) ?? [])];
    return new Set(
      workers.flatMap(([uid, { probe, probed }]) =>
        probe.isOutstanding && probed === 0 ? [uid] : [],
      ),
    );
  }

  /** From now on, these are the workers of this key; whoever is not among them is asked no more. */
  probe(key: string, probes: readonly WorkerProbe[]): void {
    const wanted = new Set(probes.map(({ podUid }) => podUid));
    const present = this.#byKey.get(key) ?? new Map<string, Worker>();
    for (const [uid, worker] of present) if (!wanted.has(uid)) drop(present, uid, worker);
    if (wanted.size === 0) {
      this.#byKey.delete(key);
      this.#news.get(key)?.();
      this.#news.delete(key);
      this.#budget.forget(key);
    } else this.#byKey.set(key, present);
    const outstanding = probes.filter(({ isOutstanding }) => isOutstanding).length;
    if (outstanding === 0) this.#outstanding.delete(key);
    else this.#outstanding.set(key, outstanding);
    for (const probe of probes) this.#accept(key, present, probe);
  }

  /**
   * Nobody is asked any more: another leads now, or the process ends. What was answered is
   * forgotten.
   */
  forgetAll(): void {
    for (const key of [...this.#byKey.keys()]) this.probe(key, []);
  }

  async stop(): Promise<void> {
    this.forgetAll();
    this.#cancelWait();
    await this.#connections.stop();
  }

  #accept(key: string, workers: Map<string, Worker>, probe: WorkerProbe): void {
    const present = workers.get(probe.podUid);
    if (present === undefined) {
      const unknown = { last: NO_ANSWER, probed: 0, isUnderWay: false, isSlow: false, digest: '' };
      const worker: Worker = { probe, key, ...unknown, cancel: () => undefined };
      workers.set(probe.podUid, worker);
      this.#queue(worker);
      return;
    }
    const isElsewhere = present.probe.url !== probe.url;
    const isNews =
      isElsewhere ||
      present.probe.awaiting !== probe.awaiting ||
      (probe.isOutstanding && !present.probe.isOutstanding);
    // Until it has confirmed, it may still run what it was given before.
    present.probe = probe.isOutstanding
      ? { ...probe, most: larger(present.probe.most, probe.most) }
      : probe;
    if (!isNews || !(probe.isOutstanding || isElsewhere)) return;
    present.probed = 0;
    present.cancel();
    // What it is to take up is not even written yet; at another address it may be somebody else.
    if (isElsewhere || present.last.answer?.ok !== true) this.#queue(present);
    else
      present.cancel = this.#options.clock.after(this.#quickPause(present), () =>
        this.#queue(present),
      );
  }

  #isCurrent(worker: Worker): boolean {
    return this.#byKey.get(worker.key)?.get(worker.probe.podUid) === worker;
  }

  #queue(worker: Worker): void {
    if (worker.isUnderWay) return;
    worker.isUnderWay = true;
    this.#turns.add(worker, worker.key, rankOf(worker));
    this.#next();
  }

  #next(): void {
    const { clock } = this.#options;
    this.#cancelWait();
    while (!this.#places.isFull) {
      const turn = this.#turns.take((rank) => this.#places.open(rank));
      if (turn === undefined) return;
      if ('waitMs' in turn) {
        this.#cancelWait = clock.after(turn.waitMs, () => this.#next());
        return;
      }
      this.#begin(turn.it);
    }
  }

  #begin(worker: Worker): void {
    if (!this.#isCurrent(worker)) return;
    const waitMs = this.#budget.waitMs(worker.key);
    if (waitMs === 0) void this.#question(worker);
    else {
      worker.isUnderWay = false;
      worker.cancel();
      worker.cancel = this.#options.clock.after(waitMs, () => this.#queue(worker));
    }
  }

  async #question(worker: Worker): Promise<void> {
    const { probe, key } = worker;
    const { clock } = this.#options;
    const place = this.#places.take(key, isFailing(worker), probe.most.bytes);
    const askedAt = clock.monotonic();
    const said = await this.#saidBy(worker, probe);
    worker.isSlow = clock.monotonic() - askedAt >= SLOW_MS;
    this.#places.giveBack(place);
    worker.isUnderWay = false;
    if (this.#isCurrent(worker)) this.#take(worker, probe.url, said);
    if (this.#places.questionsOf(key) === 0) this.#tell(key);
    this.#next();
  }

  #tell(key: string): void {
    const cancel = this.#news.get(key);
    if (cancel === undefined) return;
    cancel();
    this.#news.delete(key);
    this.#options.onChange(key);
  }

  #take(worker: Worker, url: string, { answer, digest }: Said): void {
    if (worker.probe.url !== url) {
      // It has moved meanwhile: what answers at the old address is somebody else, or nobody.
      this.#queue(worker);
      return;
    }
    const heard = lastAnswerAfter(worker.last, url, answer);
    const isNews = heard.answer !== worker.last.answer;
    worker.last = heard;
    if (digest !== undefined) worker.digest = digest;
    worker.probed += 1;
    worker.cancel();
    const pause = hasJustFailed(heard) ? QUICK_AT_LAST_MS : this.#pause(worker);
    worker.cancel = this.#options.clock.after(pause, () => this.#queue(worker));
    if (isNews && !this.#news.has(worker.key))
      this.#news.set(
        worker.key,
        this.#options.clock.after(TOGETHER_MS, () => this.#tell(worker.key)),
      );
  }

  #pause(worker: Worker): number {
    if (!worker.probe.isOutstanding) return this.#options.auditMs ?? AUDIT_MS;
    return worker.probed > QUICK_QUESTIONS ? PATIENT_MS : this.#quickPause(worker);
  }

  /**
   * The first question is as soon for many as for one: who is probed later
   * tell again.
   */
  #quickPause({ probed, key }: Worker): number {
    const quick = QUICK_MS[Math.max(0, probed - 1)] ?? QUICK_AT_LAST_MS;
    if (probed === 0) return quick;
    return Math.max(
      quick,
      Math.min((this.#outstanding.get(key) ?? 0) * QUICK_PER_WORKER_MS, QUICK_AT_LAST_MS),
    );
  }

  async #saidBy(worker: Worker, { url, isOutstanding, most }: WorkerProbe): Promise<Said> {
    try {
      const { get } = this.#options;
      const onRead = (bytes: number): void => this.#budget.charge(worker.key, bytes);
      const question = { isLast: !isOutstanding, mostBytes: most.bytes, onRead };
      const read =
        get === undefined
          ? await this.#connections.get(url, question)
          : Buffer.from(await get(url));
      if (get !== undefined) onRead(read.length);
      const digest = hash('sha256', read, 'base64');
      const report = reportIn(worker, read, digest, most);
      return typeof report === 'string'
        ? { answer: { ok: false, reason: `${url} answers ${report}` } }
        : { answer: { ok: true, report }, digest };
    } catch (error) {
      const cause = errorText(error);
      return { answer: { ok: false, reason: `${url}: ${oneLine(cause)}` } };
    }
  }
}

/** An answer with the same bytes as before is not parsed again. */
function reportIn(
  worker: Worker,
  read: Buffer,
  digest: string,
  most: ReportBound,
): WorkerReport | string {
  const { answer } = worker.last;
  const known = answer?.ok === true ? answer.report : answer?.last;
  if (digest === worker.digest && known !== undefined) {
    const jobs = known.jobs?.length ?? 0;
    return jobs > most.jobs ? tooManyJobs(jobs, most.jobs) : known;
  }
  return readBoundedReport(read.toString('utf8'), most.jobs);
}

/** `digest` is that of the answer's bytes, if the answer was a report. */
type Said = { readonly answer: ProbeAnswer; readonly digest?: string };

const larger = (a: ReportBound, b: ReportBound): ReportBound => ({
  jobs: Math.max(a.jobs, b.jobs),
  bytes: Math.max(a.bytes, b.bytes),
});

/**
 * It stands in conditions and in status: OpenSSL's errors end with a line break, others have
 * several lines.
 */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);

const isFailing = ({ last, isSlow }: Worker): boolean => isSlow || last.answer?.ok === false;

/** Who was told just now comes before who has long been asked in vain, and both before an audit. */
function rankOf(worker: Worker): Rank {
  const { probe, probed } = worker;
  const { answer } = worker.last;
  if (isFailing(worker)) return 'failing';
  if (probe.isOutstanding && probed < OFTEN) return 'new';
  return answer === undefined ? 'unknown' : 'pending';
}

function drop(workers: Map<string, Worker>, uid: string, worker: Worker): void {
  worker.cancel();
  workers.delete(uid);
}
