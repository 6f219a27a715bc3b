// What must hold at every moment? Checked whenever a pod is made, the ledger or a status is
// written, and four times a second.
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import type { Violation } from '../../world.ts';
import { type Amounts, added, excess, loosest } from './amounts.ts';
import { admissible, waitingIn } from './order.ts';
import { passedIn } from './passing.ts';
import { Past } from './past.ts';
import { QuotaHistory } from './quotas.ts';
import { type Entry, entriesIn, GRANT, ledgerOf, livingPods, usageIn } from './scene.ts';

/** How old what an operator decides by may be, without a fault and with one. */
const LAG_MS = 1_500;
const HINDERED_LAG_MS = 60_000;
/** The time that the operator may take where nothing hinders it, with its wait for a controller. */
const STOPS_WITHIN_MS = 5_000;
const ADMITS_WITHIN_MS = 7_000;

export type OracleWorld = {
  readonly server: ApiServer;
  readonly clock: Clock;
  /** Of the operator that leads. */
  readonly wallMs: () => number;
  readonly report: (violation: Violation) => void;
  readonly isHindered: () => boolean;
  /** What is written now is written by a user. */
  readonly isByUser: () => boolean;
};

export class QueueOracle {
  readonly #in: OracleWorld;
  readonly #quotas: QuotaHistory;
  readonly past: Past;
  #entries: readonly Entry[] = [];
  /** By UID: when it was admitted, and what its queue allowed then. */
  readonly #admissions = new Map<string, { readonly atMs: number; readonly allowed: Amounts }>();
  readonly #pods = new Set<string>();
  readonly #states = new Map<string, string>();
  /** When a ResourceQuota was last changed. */
  #boundAtMs = 0;
  #bounds = '';
  /** Since when each job waits. */
  readonly #waiting = new Map<string, number>();
  /** Since when something is wrong that the operator has to correct soon. */
  readonly #since = new Map<string, number>();

  constructor(world: OracleWorld) {
    this.#in = world;
    const { server, clock } = world;
    this.#quotas = new QuotaHistory(server, () => clock.monotonic());
    this.past = new Past(server);
    server.onChange(kinds.ResourceQuota, () => this.#noteBounds());
    server.onChange(kinds.ConfigMap, () => this.#checkLedger());
    server.onChange(kinds.Pod, () => this.#checkPods());
    server.onChange(kinds.SwarmJob, () => this.#checkStatuses());
  }

  makeUp(job: KubeObject): void {
    this.past.makeUp(job.metadata.uid ?? '');
  }

  interfere(job: KubeObject): void {
    this.past.interfere(job);
  }

  unsuspend(job: KubeObject): void {
    this.past.unsuspend(job);
  }

  /** What was there before is there again: what happened since did not. */
  restored(): void {
    const { server } = this.#in;
    this.#entries = entriesIn(ledgerOf(server));
    for (const job of server.all({ kind: kinds.SwarmJob })) this.makeUp(job);
    this.forget();
  }

  forget(): void {
    this.#waiting.clear();
    this.#since.clear();
  }

  get #lagMs(): number {
    return this.#in.isHindered() ? HINDERED_LAG_MS : LAG_MS;
  }

  // --- At each write of the ledger ---

  #checkLedger(): void {
    const { server, isByUser } = this.#in;
    const before = this.#entries;
    const after = entriesIn(ledgerOf(server));
    this.#entries = after;
    if (isByUser()) return;
    const isNew = (it: Entry): boolean =>
      !before.some(({ uid, grant }) => uid === it.uid && grant === it.grant) && !this.#isFound(it);
    const admitted = after.filter(isNew);
    this.#checkOrder(before, admitted);
    for (const queue of new Set(admitted.map((it) => it.queue)))
      this.#checkAdmissions(
        queue,
        admitted.filter((it) => it.queue === queue),
      );
  }

  /** Its batch Job has this number already: the entry was found again. */
  #isFound({ uid, grant }: Entry): boolean {
    return this.#in.server
      .all({ kind: kinds.Job, namespace: NAMESPACE })
      .some((job) => ownerUid(job) === uid && job.metadata.annotations?.[GRANT] === String(grant));
  }

  #checkOrder(before: readonly Entry[], admitted: readonly Entry[]): void {
    const { server, wallMs, report, isHindered, clock } = this.#in;
    if (isHindered()) return;
    const waits = (uid: string): boolean =>
      clock.monotonic() - (this.#waiting.get(uid) ?? Number.POSITIVE_INFINITY) >= LAG_MS;
    for (const { first, by } of passedIn(server, { before, admitted }, wallMs(), waits))
      report({ oracle: 'order', message: `${by} is admitted, and ${first.name} goes first` });
  }

  #checkAdmissions(queue: string, admitted: readonly Entry[]): void {
    const { server, clock, report } = this.#in;
    const names = admitted.map(({ name }) => name).join(' and ');
    const allowed = this.#quotas.allowed(queue, this.#lagMs);
    if (allowed === undefined) {
      report({ oracle: 'queue open', message: `${queue} admits ${names}, and admits nothing` });
      return;
    }
    for (const { uid } of admitted) this.#admissions.set(uid, { atMs: clock.monotonic(), allowed });
    const pods = livingPods(server).filter((pod) => !this.past.isUnsuspended(pod.batchUid));
    const wrong = excess(usageIn(this.#entries, pods)[queue] ?? {}, allowed);
    if (wrong.length > 0)
      report({ oracle: 'quota', message: `${queue} admits ${names}: ${wrong.join(', ')}` });
  }

  // --- Whenever a pod is made ---

  #checkPods(): void {
    const { server, report } = this.#in;
    const living = livingPods(server).filter((pod) => !this.past.isUnsuspended(pod.batchUid));
    const made = living.filter(({ name }) => !this.#pods.has(name));
    for (const { name } of made) this.#pods.add(name);
    for (const pod of made) {
      const other = living.find((it) => it.jobUid === pod.jobUid && it.batchUid !== pod.batchUid);
      if (other !== undefined)
        report({ oracle: 'one attempt', message: `${pod.name} starts, and ${other.name} lives` });
      this.#checkQuota(
        pod.queue,
        pod.name,
        living.filter(({ queue }) => queue === pod.queue),
      );
    }
  }

  #checkQuota(queue: string, name: string, living: ReturnType<typeof livingPods>): void {
    const { report } = this.#in;
    const admissions = [...new Set(living.map(({ jobUid }) => jobUid))].map((uid) =>
      this.#admissions.get(uid),
    );
    if (admissions.includes(undefined)) {
      report({ oracle: 'admitted', message: `a pod such as ${name} was never admitted` });
      return;
    }
    const allowed = loosest(admissions.map((it) => it?.allowed ?? {}));
    const wrong = excess(added(living.map(({ requests }) => requests)), allowed);
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

  /** A ResourceQuota does not let this pod be made: a rank of a job that was admitted. */
  refused(pod: KubeObject): void {
    const { server, report, isHindered } = this.#in;
    const uid = pod.metadata.annotations?.['k8slab.info/job-uid'] ?? '';
    const admission = this.#admissions.get(uid);
    const isByHand = (batchUid: string): boolean => this.past.isUnsuspended(batchUid);
    const byHand = livingPods(server).some(({ batchUid }) => isByHand(batchUid));
    if (admission === undefined || byHand || isByHand(ownerUid(pod) ?? '') || isHindered()) return;
    if (admission.atMs < this.#boundAtMs + LAG_MS) return;
    report({ oracle: 'resource quota', message: `${pod.metadata.name} is refused` });
  }

  // --- At each write of a status ---

  #checkStatuses(): void {
    const { server, isByUser } = this.#in;
    for (const job of server.all({ kind: kinds.SwarmJob })) {
      const { uid = '' } = job.metadata;
      const state = asString(dig(job, 'status', 'state')) ?? '';
      if (this.#states.get(uid) === state) continue;
      this.#states.set(uid, state);
      if (!isByUser() && !this.past.isMadeUp(uid)) this.#checkEnd(job, uid, state);
    }
  }

  #checkEnd({ metadata: { name }, spec, status }: KubeObject, uid: string, state: string): void {
    const { server, report, isHindered } = this.#in;
    const size = asNumber(dig(spec, 'size')) ?? 1;
    if (state === 'Succeeded' && !this.past.haveAllSucceeded(uid, size))
      report({ oracle: 'status true', message: `${name} is Succeeded, and not all ranks are` });
    const living = livingPods(server).filter(
      (pod) => pod.jobUid === uid && !this.past.isUnsuspended(pod.batchUid),
    );
    if (state === 'Suspended' && living.length > 0 && !isHindered())
      report({
        oracle: 'status true',
        message: `${name} is Suspended, and ${living[0]?.name} lives`,
      });
    const hasReason =
      this.past.failuresOf(uid).length > 0 ||
      this.past.isInterfered(uid) ||
      ['DeadlineExceeded', 'StartTimedOut'].includes(asString(dig(status, 'reason')) ?? '');
    if (state === 'Failed' && !hasReason)
      report({ oracle: 'status true', message: `${name} is Failed, and nothing of it failed` });
  }

  // --- Four times a second ---

  /** Undefined: no operator can be judged now. */
  look(leader: string | undefined): void {
    if (leader === undefined) {
      this.forget();
      return;
    }
    const { clock, report } = this.#in;
    const now = clock.monotonic();
    this.#noteWaiting(now);
    const wrong = new Map([...this.#running(), ...this.#notAdmitted()]);
    for (const key of this.#since.keys()) if (!wrong.has(key)) this.#since.delete(key);
    for (const [key, { oracle, withinMs }] of wrong) {
      const since = this.#since.get(key) ?? now;
      this.#since.set(key, since);
      if (now - since < withinMs) continue;
      report({ oracle, message: `${key} for ${(now - since) / 1000} s` });
      this.#since.set(key, now);
    }
  }

  #noteWaiting(now: number): void {
    const { server, wallMs } = this.#in;
    const uids = waitingIn(server, this.#entries, wallMs()).map(
      ({ job }) => job.metadata.uid ?? '',
    );
    for (const uid of this.#waiting.keys()) if (!uids.includes(uid)) this.#waiting.delete(uid);
    for (const uid of uids) if (!this.#waiting.has(uid)) this.#waiting.set(uid, now);
  }

  #running(): readonly (readonly [string, Soon])[] {
    const { server } = this.#in;
    const jobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE });
    const entries = entriesIn(ledgerOf(server));
    const pods = livingPods(server).filter(({ isTerminating }) => !isTerminating);
    const suspended = jobs
      .filter((job) => dig(job, 'spec', 'suspend') === true)
      .filter(({ metadata }) => pods.some((pod) => pod.jobUid === metadata.uid))
      .map(({ metadata }) => `${metadata.name} is to be suspended and has a pod`);
    const loose = server
      .all({ kind: kinds.Job, namespace: NAMESPACE })
      .filter((job) => dig(job, 'spec', 'suspend') !== true && !isOver(job))
      .filter((job) => jobs.some(({ metadata }) => metadata.uid === ownerUid(job)))
      .filter((job) => !entries.some((it) => it.uid === ownerUid(job)))
      .map(({ metadata }) => `batch Job ${metadata.name} is not suspended and not admitted`);
    return [...suspended, ...loose].map((key) => [
      key,
      { oracle: 'stops', withinMs: STOPS_WITHIN_MS },
    ]);
  }

  #notAdmitted(): readonly (readonly [string, Soon])[] {
    const { server, wallMs } = this.#in;
    return admissible(server, wallMs()).map(({ name, queue }) => [
      `${name} waits in ${queue}, and there is room for it`,
      { oracle: 'work-conserving', withinMs: ADMITS_WITHIN_MS },
    ]);
  }
}

type Soon = { readonly oracle: string; readonly withinMs: number };

const isOver = (job: KubeObject): boolean => {
  const conditions = dig(job, 'status', 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (it) =>
        ['Complete', 'Failed'].includes(asString(dig(it, 'type')) ?? '') &&
        dig(it, 'status') === 'True',
    )
  );
};
