// Which promises about pods were broken? The witness follows all pods that the API server shows, of
// any owner and with any labels. It shares no code with the operator.
import { attemptsWith, beginsTooEarly, falseSuccessOf, ranksWith } from './attempts.ts';
import { overrunOf } from './deadlines.ts';
import { unopposedIn } from './hand-starts.ts';
import { Known } from './known.ts';
import type { PodFacts } from './pods.ts';
import { UrgentJobs, wrongPreemption } from './preemption.ts';
import { excessOf, NOTICED_MS } from './quota.ts';
import type { Finding, Seen } from './seen.ts';
import type { SwarmJobFacts } from './swarm-jobs.ts';

/** After a fault a new leader has to be found, and caches have to be filled. */
const FAULT_MS = 30_000;

type At = { readonly atMs: number; readonly namespace: string };

export class Witness {
  readonly known = new Known();
  readonly findings: Finding[] = [];
  checks = 0;
  preemptions = 0;
  readonly #urgentJobs = new UrgentJobs();
  readonly #faults: number[] = [];
  readonly #texts = new Set<string>();

  /** An operator was killed, frozen, or restarted. */
  noteFault(atMs: number): void {
    this.#faults.push(atMs);
  }

  /** A ledger is damaged: what it said about jobs may be lost. */
  noteDamage(namespace: string, atMs: number): void {
    this.known.disturb(namespace, atMs);
  }

  /** In the order of their revisions. */
  take(seen: Seen): void {
    const { object, atMs } = seen;
    const { namespace = '', uid = '' } = object.metadata;
    const at = { atMs, namespace };
    switch (object.kind) {
      case 'SwarmQueue':
        this.known.queue(seen);
        break;
      case 'ResourceQuota':
        this.known.resourceQuota(seen);
        break;
      case 'SwarmJob': {
        const before = this.known.swarmJobs.get(uid)?.preempted;
        this.#swarmJob(this.known.swarmJob(seen), before?.time, at);
        break;
      }
      case 'Job':
        this.known.batch(seen);
        break;
      case 'Pod': {
        const found = this.known.pod(seen);
        this.#check('origin', at, `pod ${object.metadata.name}`, () => originOf(found));
        if (found?.isNew === true) this.#newPod(found.pod, at);
        if (found?.hasEnded === true) this.#endOf(found.pod, at);
        if (found?.begins === true)
          this.#check('together', at, `SwarmJob ${found.pod.batch.name}`, () =>
            beginsTooEarly(found.pod, this.known.pods.values()),
          );
        break;
      }
      default:
        throw new Error(`a ${object.kind} was seen, which nobody watches`);
    }
    this.#handStarts(atMs, namespace);
    for (const { job, text } of this.#urgentJobs.take(this.known, atMs, this.#faultMs(atMs)))
      this.#check('room', { atMs, namespace: job.namespace }, `SwarmJob ${job.name}`, () => text);
  }

  #swarmJob(facts: SwarmJobFacts, preemptedBefore: string | undefined, at: At): void {
    const { state, name, uid, isDeleted, preempted } = facts;
    const { batches, pods } = this.known;
    if (state === 'Succeeded' && !isDeleted)
      this.#check('success', at, `SwarmJob ${name}`, () =>
        falseSuccessOf(uid, batches.values(), pods.values()),
      );
    if (preempted === undefined || preempted.time === preemptedBefore) return;
    this.preemptions += 1;
    this.#check('preemption', at, `SwarmJob ${name}`, () =>
      wrongPreemption(this.known, facts, at.atMs, this.#faultMs(at.atMs)),
    );
    this.#urgentJobs.await(this.known, facts, at.atMs);
  }

  #endOf(pod: PodFacts, at: At): void {
    const job = this.known.swarmJobs.get(pod.batch.swarmJobUid ?? '');
    if (job === undefined) return;
    this.#check('deadline', at, `SwarmJob ${job.name}`, () => overrunOf(pod, job, at.atMs));
  }

  #newPod(pod: PodFacts, at: At): void {
    const living = this.known.living().filter(({ namespace }) => namespace === at.namespace);
    const { swarmJobUid = '', name } = pod.batch;
    const job = this.known.swarmJobs.get(swarmJobUid)?.name ?? name;
    this.#check('attempts', at, `SwarmJob ${job}`, () => attemptsWith(pod, living));
    this.#check('ranks', at, `SwarmJob ${job}`, () => ranksWith(pod, living));
    const queue = pod.run.queue ?? pod.batch.label;
    if (queue === undefined) return;
    const history = this.known.queueOf(at.namespace, queue);
    const faultMs = this.#faultMs(at.atMs);
    this.#check('quota', at, 'quota', () =>
      excessOf(living, queue, history, { bound: 'quota', faultMs }),
    );
    const user = this.known.userOf(pod.batch);
    const ofUser = living.filter(({ batch }) => this.known.userOf(batch) === user);
    this.#check('user', at, user ?? 'without a user', () =>
      excessOf(ofUser, queue, history, { bound: 'perUser', faultMs }),
    );
  }

  #handStarts(atMs: number, namespace: string): void {
    for (const batch of this.known.batches.values()) {
      if (batch.namespace !== namespace || batch.run?.by !== 'hand') continue;
      const hasQueue =
        batch.label !== undefined && this.known.queueOf(namespace, batch.label).exists;
      this.#check('started by hand', { atMs, namespace }, batch.label ?? '', () =>
        unopposedIn(batch, atMs, NOTICED_MS + this.#faultMs(atMs), hasQueue),
      );
    }
  }

  /** How long a fault may have delayed the operator at this time. */
  #faultMs(atMs: number): number {
    return this.#faults.some((fault) => fault <= atMs && atMs < fault + 2 * FAULT_MS)
      ? FAULT_MS
      : 0;
  }

  #check(
    check: string,
    { atMs, namespace }: At,
    subject: string,
    look: () => string | undefined,
  ): void {
    this.checks += 1;
    const problem = look();
    if (problem === undefined) return;
    const text = `${namespace}: ${subject}: ${problem}`;
    // One finding for each, not one for each pod that comes later.
    const key = `${check} ${text.replace(/\d+ ms already/, '')}`;
    if (this.#texts.has(key)) return;
    this.#texts.add(key);
    this.findings.push({ check, atMs, text });
  }
}

const originOf = (found: object | undefined): string | undefined =>
  found === undefined ? 'it runs though nobody has started its Job' : undefined;
