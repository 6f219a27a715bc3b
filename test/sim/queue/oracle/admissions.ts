// Does the quota hold? Checked whenever the ledger is written, and whenever a pod is made.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { type Amounts, added, capped, excess, loosest, times } from './amounts.ts';
import type { Delays } from './delays.ts';
import { needsOf } from './demands.ts';
import type { OracleWorld } from './oracle.ts';
import { type Ledgers, passedIn } from './passing.ts';
import type { Past } from './past.ts';
import { checkPreemptions } from './preemptions.ts';
import { QuotaHistory } from './quotas.ts';
import type { Decider, ScaledUp } from './scaled-up.ts';
import {
  type Entry,
  entriesIn,
  GRANT,
  type LivePod,
  ledgerOf,
  livingPods,
  usageIn,
} from './scene.ts';
import type { InUse } from './users.ts';

/** How old what an operator decides by may be, without a fault and with one. */
const LAG_MS = 1_500;
const HINDERED_LAG_MS = 60_000;
/** A controller may make pods of a batch Job so long after it was taken back. */
const NOTED_MS = 6_000;
/** What others hold of a ResourceQuota counts as less when it has been less for so long. */
const COUNTED_MS = 3_000;

type Admission = {
  readonly atMs: number;
  /** By its queue, then. */
  readonly allowed: Amounts;
  readonly size: number;
  /** What it was admitted for. */
  readonly requests: Amounts;
};

/** Other parts of the oracle. */
type Beside = { readonly past: Past; readonly delays: Delays; readonly scaledUp: ScaledUp };

export class Admissions {
  readonly #in: OracleWorld;
  readonly #past: Past;
  readonly #delays: Delays;
  readonly #quotas: QuotaHistory;
  readonly #scaledUp: ScaledUp;
  #entries: readonly Entry[] = [];
  /** As an operator wrote it last: what a user takes out of the ledger may come back. */
  #written: readonly Entry[] = [];
  /** By UID. */
  readonly #admissions = new Map<string, Admission>();
  /** By UID: when another took its place, before which its pods may be made for a while. */
  readonly #preemptedMs = new Map<string, number>();
  /** By name: when it was made. */
  readonly #pods = new Map<string, number>();
  /** When a ResourceQuota was last changed. */
  #boundAtMs = Number.NEGATIVE_INFINITY;
  #bounds = '';
  /** When a ResourceQuota last counted more than jobs were admitted for, or a moment later. */
  #enlargedAtMs = Number.NEGATIVE_INFINITY;
  /** When a LimitRange was last changed. */
  #rangesAtMs = Number.NEGATIVE_INFINITY;

  constructor(world: OracleWorld, { past, delays, scaledUp }: Beside) {
    this.#in = world;
    this.#past = past;
    this.#delays = delays;
    this.#scaledUp = scaledUp;
    const { server, clock } = world;
    this.#quotas = new QuotaHistory(server, () => clock.monotonic());
    server.onChange(kinds.ResourceQuota, () => this.#noteBounds());
    server.onChange(kinds.LimitRange, () => {
      this.#rangesAtMs = clock.monotonic();
    });
  }

  restored(): void {
    this.#entries = entriesIn(ledgerOf(this.#in.server));
    this.#written = this.#entries;
  }

  get #lagMs(): number {
    return this.#in.isHindered() ? HINDERED_LAG_MS : LAG_MS;
  }

  /** A user may have changed it. */
  noteLedger(): void {
    if (this.#in.isByUser()) this.#entries = entriesIn(ledgerOf(this.#in.server));
  }

  /** An operator has written. */
  checkLedger(by: Decider): void {
    const { server } = this.#in;
    const taken = this.#written.filter((it) => !isAmong(this.#entries, it));
    const before = [...this.#entries, ...taken];
    const after = entriesIn(ledgerOf(server));
    this.#entries = after;
    this.#written = after;
    for (const { uid } of before.filter((it) => it.preemptedBy !== undefined))
      if (!after.some((it) => it.uid === uid))
        this.#preemptedMs.set(uid, this.#in.clock.monotonic());
    const admitted = after.filter((it) => !isAmong(before, it) && !this.#isFound(it));
    this.#checkOrder({ before, after, admitted });
    checkPreemptions(this.#in, this.#past, { before, after });
    for (const entry of admitted) this.#checkRequests(entry);
    for (const queue of new Set(admitted.map((it) => it.queue)))
      this.#checkAdmissions(
        queue,
        admitted.filter((it) => it.queue === queue),
        by,
      );
  }

  /** Its batch Job has this number already: the entry was found again. */
  #isFound({ uid, grant }: Entry): boolean {
    return this.#in.server
      .all({ kind: kinds.Job, namespace: NAMESPACE })
      .some(
        (job) =>
          (ownerUid(job) ?? job.metadata.uid) === uid &&
          job.metadata.annotations?.[GRANT] === String(grant),
      );
  }

  #checkOrder({ before, after, admitted }: Ledgers): void {
    const { server, clock, wallMs, report, isHindered } = this.#in;
    const now = clock.monotonic();
    if (isHindered() || now < Math.max(this.#boundAtMs, this.#enlargedAtMs) + LAG_MS) return;
    // A status that says that it runs takes it out of the queue for a moment.
    const isMadeUp = (uid: string): boolean => this.#past.isMadeUp(uid);
    const known = {
      wallMs: wallMs(),
      users: this.#past.users,
      queues: (uid: string): boolean => !isMadeUp(uid) && this.#delays.isQueuedFor(uid, LAG_MS),
      waits: (uid: string): boolean =>
        !isMadeUp(uid) &&
        this.#delays.waitsFor(uid, LAG_MS) &&
        now >= (this.#preemptedMs.get(uid) ?? 0) + NOTED_MS,
      lives: ({ name }: LivePod): boolean => (this.#pods.get(name) ?? now) <= now - LAG_MS,
    };
    for (const { first, by } of passedIn(server, { before, after, admitted }, known))
      report({ oracle: 'order', message: `${by} is admitted, and ${first.name} goes first` });
  }

  /** It is admitted for what its manifest and the LimitRanges say. */
  #checkRequests({ uid, name, requests }: Entry): void {
    const { server, report, isHindered } = this.#in;
    const job = [kinds.SwarmJob, kinds.Job]
      .flatMap((kind) => server.all({ kind, namespace: NAMESPACE }))
      .find(({ metadata }) => metadata.uid === uid);
    if (job === undefined || isHindered() || this.#past.hasChangedWithin(uid, LAG_MS)) return;
    const needs = needsOf(server, job);
    const wrong = [...excess(needs, requests), ...excess(requests, needs)];
    if (Object.keys(needs).length !== Object.keys(requests).length || wrong.length > 0)
      report({
        oracle: 'admitted for',
        message: `${name} is admitted for ${JSON.stringify(requests)}: ${JSON.stringify(needs)}`,
      });
  }

  #checkAdmissions(queue: string, admitted: readonly Entry[], by: Decider): void {
    const { server, clock, report } = this.#in;
    const names = admitted.map(({ name }) => name).join(' and ');
    const allowed = this.#quotas.allowed(queue, this.#lagMs);
    if (allowed === undefined) {
      report({ oracle: 'queue open', message: `${queue} admits ${names}, and admits nothing` });
      return;
    }
    const atMs = clock.monotonic();
    for (const { uid, size, requests } of admitted)
      this.#admissions.set(uid, { atMs, allowed, size, requests });
    const living = livingPods(server).flatMap((pod) => this.#known(pod));
    const { entries, pods } = this.#scaledUp.asTold(by, { entries: this.#entries, pods: living });
    const wrong = excess(usageIn(entries, pods)[queue] ?? {}, allowed);
    if (wrong.length > 0)
      report({ oracle: 'quota', message: `${queue} admits ${names}: ${wrong.join(', ')}` });
    this.#checkUsers(queue, admitted, { entries, pods });
  }

  /** Of a job whose user was changed just now, the operator may not know it. */
  #checkUsers(queue: string, admitted: readonly Entry[], { entries, pods }: InUse): void {
    const { users } = this.#past;
    const allowed = this.#quotas.allowedPerUser(queue, this.#lagMs);
    const isSettled = (uid: string): boolean => users.isSettled(uid, this.#lagMs);
    const settled = {
      entries: entries.filter(({ uid }) => isSettled(uid)),
      pods: pods.filter(({ jobUid }) => isSettled(jobUid)),
    };
    for (const { uid, name, requests } of admitted.filter((it) => isSettled(it.uid))) {
      const user = users.of(uid, entries);
      // It may start beside more than is allowed of what it does not need.
      const needed = Object.entries(users.usedBy(user, queue, settled)).filter(
        ([resource]) => (requests[resource] ?? 0) > 0,
      );
      const wrong = excess(Object.fromEntries(needed), allowed);
      if (wrong.length > 0)
        this.#in.report({
          oracle: 'bound of a user',
          message: `${queue} admits ${name} of ${user || 'nobody'}: ${wrong.join(', ')}`,
        });
    }
  }

  /** What the operator knows of a pod: of a new one, what its job was admitted for. */
  #known(pod: LivePod): readonly LivePod[] {
    const sinceMs = this.#pods.get(pod.name) ?? this.#in.clock.monotonic();
    if (this.#in.clock.monotonic() - sinceMs >= this.#lagMs) return [pod];
    if (this.#past.isUnsuspended(pod.batchUid)) return [];
    return [{ ...pod, requests: this.#asAdmitted(pod) }];
  }

  /** Without what a webhook or a later LimitRange has added. */
  #asAdmitted({ jobUid, requests }: LivePod): Amounts {
    const admission = this.#admissions.get(jobUid);
    return admission === undefined
      ? requests
      : capped(requests, times(admission.requests, 1 / admission.size));
  }

  /** What a webhook adds is not of jobs, as far as the operator knows. */
  #noteEnlarged(): void {
    const isEnlarged = livingPods(this.#in.server).some(
      (pod) => excess(pod.requests, this.#asAdmitted(pod)).length > 0,
    );
    if (isEnlarged) this.#enlargedAtMs = this.#in.clock.monotonic() + COUNTED_MS;
  }

  checkPods(): void {
    const { server, clock, report } = this.#in;
    this.#noteEnlarged();
    const living = livingPods(server).filter((pod) => !this.#past.isUnsuspended(pod.batchUid));
    const made = living.filter(({ name }) => !this.#pods.has(name));
    for (const { name } of livingPods(server))
      if (!this.#pods.has(name)) this.#pods.set(name, clock.monotonic());
    for (const pod of made) {
      const own = living.filter(({ jobUid }) => jobUid === pod.jobUid);
      const other = own.find(({ batchUid }) => batchUid !== pod.batchUid);
      if (other !== undefined)
        report({ oracle: 'one attempt', message: `${pod.name} starts, and ${other.name} lives` });
      // The controller of one that was taken back at once may make its pods, and ends them again.
      const isTakenBack = this.#past.isTakenBack(pod.batchUid);
      if (this.#past.hasEnded(pod.jobUid) && !isTakenBack && !this.#past.isMadeUp(pod.jobUid))
        report({ oracle: 'once', message: `${pod.name} starts, and its job has ended` });
      const size = this.#admissions.get(pod.jobUid)?.size ?? own.length;
      if (pod.jobUid !== pod.batchUid && own.length > size)
        report({ oracle: 'size', message: `${pod.name} starts, as one of ${own.length}` });
      this.#checkQuota(
        pod.queue,
        pod.name,
        living.filter(({ queue }) => queue === pod.queue),
      );
    }
  }

  #checkQuota(queue: string, name: string, living: readonly LivePod[]): void {
    const { report } = this.#in;
    const jobs = Map.groupBy(living, ({ jobUid }) => jobUid);
    const admissions = [...jobs.keys()].map((uid) => this.#admissions.get(uid));
    if (admissions.includes(undefined)) {
      report({ oracle: 'admitted', message: `a pod such as ${name} was never admitted` });
      return;
    }
    const allowed = loosest(admissions.map((it) => it?.allowed ?? {}));
    const amounts = [...jobs].map(([uid, pods]) => {
      const sum = added(pods.map((pod) => this.#asAdmitted(pod)));
      // A batch Job of a user replaces pods that are still terminating.
      const isPlain = pods.some(({ batchUid }) => batchUid === uid);
      return isPlain ? capped(sum, this.#admissions.get(uid)?.requests ?? {}) : sum;
    });
    const wrong = excess(added(amounts), allowed);
    if (wrong.length > 0)
      report({ oracle: 'quota', message: `${name} starts in ${queue}: ${wrong.join(', ')}` });
  }

  #noteBounds(): void {
    const { server, clock } = this.#in;
    const all = server.all({ kind: kinds.ResourceQuota }).map((it) => dig(it, 'spec', 'hard'));
    const bounds = JSON.stringify(all);
    if (bounds !== this.#bounds) this.#boundAtMs = clock.monotonic();
    this.#bounds = bounds;
  }

  /**
   * A ResourceQuota does not let this pod be made: a rank of a job that was admitted. It may lack
   * what a LimitRange gave it then.
   */
  refused(pod: KubeObject, isLacking: boolean): void {
    const { server, report, isHindered } = this.#in;
    const batchUid = ownerUid(pod) ?? '';
    const uid = pod.metadata.annotations?.['k8slab.info/job-uid'] ?? batchUid;
    const admission = this.#admissions.get(uid);
    const isByHand = (it: string): boolean => this.#past.isUnsuspended(it);
    const byHand = livingPods(server).some((it) => isByHand(it.batchUid));
    if (admission === undefined || byHand || isByHand(batchUid) || isHindered()) return;
    if (admission.atMs < this.#boundAtMs + LAG_MS || this.#past.isEnlarged) return;
    if (isLacking && admission.atMs < this.#rangesAtMs + LAG_MS) return;
    // Its own terminating pods may still count.
    if (uid === batchUid) return;
    report({ oracle: 'resource quota', message: `${pod.metadata.name} is refused` });
  }
}

const isAmong = (entries: readonly Entry[], it: Entry): boolean =>
  entries.some(({ uid, grant }) => uid === it.uid && grant === it.grant);
