// What has happened to each job so far? What pods and batch Jobs told, and who interfered.
import { kinds } from '../../../../src/api/kinds.ts';
import {
  asList,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { rankOf } from '../cluster/missing-pods.ts';
import { webhooks } from '../cluster/pod-admission.ts';
import { CutShort } from './cut-short.ts';
import { entriesIn, GRANT, ledgerOf } from './scene.ts';
import { Users } from './users.ts';

type Failure = {
  readonly batchUid: string;
  readonly reason: string;
  /** It may not have been counted: it was taken back, or the job was being suspended. */
  readonly isUnclear: boolean;
};

export class Past {
  /** By batch Job: ranks that ended well before any writer deleted or evicted their pods. */
  readonly #succeeded = new Map<string, Set<number>>();
  /** Batch Jobs one of whose ranks was deleted or evicted, and ended well. */
  readonly #cutShort = new Set<string>();
  /** By SwarmJob: its batch Jobs. */
  readonly #batchJobs = new Map<string, Set<string>>();
  readonly #failures = new Map<string, Failure[]>();
  readonly gangs: CutShort;
  readonly users: Users;
  /** SwarmJobs for which a status was made up, or restored. */
  readonly #madeUp = new Set<string>();
  /** SwarmJobs whose batch Jobs a user changed. */
  readonly #interfered = new Set<string>();
  /** Batch Jobs that a user let start. */
  readonly #unsuspended = new Set<string>();

  /** Batch Jobs that may not be started again. */
  readonly #takenBack = new Set<string>();
  /** SwarmJobs whose status has said how they ended. */
  readonly #ended = new Set<string>();
  /** By UID: the spec of each job and queue, and when it was written. */
  readonly #specs = new Map<string, { readonly spec: unknown; readonly atMs: number }>();
  /** Of LimitRanges, and of webhooks. */
  #limitsAtMs = Number.NEGATIVE_INFINITY;
  /** A LimitRange or a webhook may have made pods larger than they were admitted. */
  isEnlarged = false;
  readonly #now: () => number;

  constructor(server: ApiServer, now: () => number) {
    this.#now = now;
    this.gangs = new CutShort(server);
    this.users = new Users(server, now);
    for (const kind of [kinds.SwarmQueue, kinds.SwarmJob, kinds.Job])
      server.onChange(kind, () => {
        for (const job of server.all({ kind })) this.#noteSpec(job);
      });
    for (const kind of [kinds.LimitRange, webhooks])
      server.onChange(kind, () => {
        this.#limitsAtMs = now();
        this.isEnlarged = true;
      });
    server.onChange(kinds.Pod, () => {
      for (const pod of server.all({ kind: kinds.Pod })) this.#notePod(pod);
    });
    server.onChange(kinds.Job, () => {
      for (const job of server.all({ kind: kinds.Job })) this.#noteJob(server, job);
    });
  }

  #noteSpec({ metadata: { uid = '', labels }, spec }: KubeObject): void {
    const text = JSON.stringify([spec, labels]);
    if (this.#specs.get(uid)?.spec !== text)
      this.#specs.set(uid, { spec: text, atMs: this.#now() });
  }

  /** Its manifest, or what LimitRanges give to its pods. */
  hasChangedWithin(uid: string, ms: number): boolean {
    const since = this.#now() - ms;
    return (this.#specs.get(uid)?.atMs ?? since) > since || this.#limitsAtMs > since;
  }

  isTakenBack(batchUid: string): boolean {
    return this.#takenBack.has(batchUid);
  }

  end(uid: string): void {
    this.#ended.add(uid);
  }

  hasEnded(uid: string): boolean {
    return this.#ended.has(uid);
  }

  #notePod(pod: KubeObject): void {
    if (dig(pod, 'status', 'phase') !== 'Succeeded') return;
    const batchUid = ownerUid(pod) ?? '';
    const isDisrupted = conditionsOf(pod, 'DisruptionTarget').length > 0;
    const wasToldToEnd = pod.metadata.deletionTimestamp !== undefined || isDisrupted;
    const ranks = this.#succeeded.get(batchUid) ?? new Set();
    if (!wasToldToEnd) this.#succeeded.set(batchUid, ranks.add(rankOf(pod)));
    else if (!this.#takenBack.has(batchUid)) this.#cutShort.add(batchUid);
  }

  #noteJob(server: ApiServer, job: KubeObject): void {
    const { uid = '', annotations } = job.metadata;
    const owner = ownerUid(job) ?? '';
    const batchJobs = this.#batchJobs.get(owner) ?? new Set();
    this.#batchJobs.set(owner, batchJobs.add(uid));
    const failed = asList(dig(job, 'status', 'conditions')).find(
      (it) => dig(it, 'type') === 'Failed' && dig(it, 'status') === 'True',
    );
    const failures = this.#failures.get(owner) ?? [];
    this.#failures.set(owner, failures);
    const isTakenBack = Number(annotations?.[GRANT]) % 2 === 1;
    if (isTakenBack) this.#takenBack.add(uid);
    const swarmJob = server.all({ kind: kinds.SwarmJob }).find((it) => it.metadata.uid === owner);
    const isStopped =
      swarmJob === undefined ||
      dig(swarmJob, 'spec', 'suspend') === true ||
      dig(swarmJob, 'status', 'state') === 'Suspending' ||
      entriesIn(ledgerOf(server)).some((it) => it.uid === owner && it.preemptedBy !== undefined);
    if (failed === undefined || failures.some((it) => it.batchUid === uid)) return;
    const reason = asString(dig(failed, 'reason')) ?? '';
    // The end of a leader is that of its job, whatever failed at the same time.
    const isLedWell =
      dig(job, 'spec', 'successPolicy') !== undefined && this.#succeeded.get(uid)?.has(0) === true;
    const isUnclear = isTakenBack || isStopped || isLedWell;
    failures.push({ batchUid: uid, reason, isUnclear });
  }

  makeUp(uid: string): void {
    this.#madeUp.add(uid);
  }

  interfere(job: KubeObject): void {
    this.#interfered.add(ownerUid(job) ?? '');
  }

  unsuspend(job: KubeObject): void {
    this.#unsuspended.add(job.metadata.uid ?? '');
  }

  isUnsuspended(batchUid: string): boolean {
    return this.#unsuspended.has(batchUid);
  }

  isMadeUp(uid: string): boolean {
    return this.#madeUp.has(uid);
  }

  isInterfered(uid: string): boolean {
    return this.#interfered.has(uid);
  }

  hasBatchJob(uid: string): boolean {
    return this.#batchJobs.has(uid);
  }

  /** In one batch Job all of these ranks ended well. */
  haveAllSucceeded(uid: string, size: number): boolean {
    return [...(this.#batchJobs.get(uid) ?? [])].some((batchUid) => {
      const ranks = this.#succeeded.get(batchUid) ?? new Set();
      return Array.from({ length: size }, (_, rank) => rank).every((rank) => ranks.has(rank));
    });
  }

  failuresOf(uid: string): readonly Failure[] {
    const failures = this.#failures.get(uid) ?? [];
    const cutShort = [...(this.#batchJobs.get(uid) ?? [])].filter(
      (it) => this.#cutShort.has(it) && !failures.some(({ batchUid }) => batchUid === it),
    );
    // Another rank may have failed as well, or the operator has not seen that the pod was deleted.
    const more = cutShort.map((batchUid) => ({ batchUid, reason: 'CutShort', isUnclear: true }));
    return [...failures, ...more];
  }
}
