// What has the operator to do soon? What may not run is ended, and who has room is admitted. Looked
// at four times a second.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { hasEnd, isPlain, plainJobsIn, sizeOf } from './demands.ts';
import type { OracleWorld } from './oracle.ts';
import { admissible, queuedIn, type Waiting } from './order.ts';
import type { Past } from './past.ts';
import { entriesIn, GRANT, ledgerOf, livingPods } from './scene.ts';

/** The time that the operator may take where nothing hinders it, with its wait for a controller. */
const STOPS_WITHIN_MS = 5_000;
const ADMITS_WITHIN_MS = 7_000;

type Soon = { readonly oracle: string; readonly withinMs: number };

export class Delays {
  readonly #in: OracleWorld;
  readonly #past: Past;
  /** Without jobs beyond the bound of their user. Since when each waits or backs off, or waits. */
  readonly #queued = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  /** Since when something is wrong that the operator has to correct soon. */
  readonly #since = new Map<string, number>();

  constructor(world: OracleWorld, past: Past) {
    this.#in = world;
    this.#past = past;
  }

  forget(): void {
    this.#queued.clear();
    this.#waiting.clear();
    this.#since.clear();
    this.#past.gangs.forget();
  }

  /** It has waited for so long. */
  waitsFor(uid: string, ms: number): boolean {
    return this.#isIn(this.#waiting, uid, ms);
  }

  /** It has waited or backed off for so long. */
  isQueuedFor(uid: string, ms: number): boolean {
    return this.#isIn(this.#queued, uid, ms);
  }

  #isIn(since: ReadonlyMap<string, number>, uid: string, ms: number): boolean {
    return this.#in.clock.monotonic() - (since.get(uid) ?? Number.POSITIVE_INFINITY) >= ms;
  }

  look(): void {
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
    const entries = entriesIn(ledgerOf(server));
    const by = { wallMs: wallMs(), users: this.#past.users };
    const queued = queuedIn(server, entries, by).filter((it) => !it.isCapped);
    noteSince(this.#queued, queued, now);
    noteSince(
      this.#waiting,
      queued.filter((it) => !it.backsOff),
      now,
    );
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
      .filter((job) => dig(job, 'spec', 'suspend') !== true && !hasEnd(job))
      .filter((job) => {
        const uid = ownerUid(job) ?? job.metadata.uid;
        // A Job that a user started without its queue runs on.
        const isQueued = isPlain(job)
          ? job.metadata.annotations?.[GRANT] !== undefined
          : jobs.some(({ metadata }) => metadata.uid === uid);
        return isQueued && !entries.some((it) => it.uid === uid);
      })
      .map(({ metadata }) => `batch Job ${metadata.name} is not suspended and not admitted`);
    const scaledUp = plainJobsIn(server)
      .filter((job) => dig(job, 'spec', 'suspend') !== true && !hasEnd(job))
      .flatMap((job) => {
        const size = entries.find(({ uid }) => uid === job.metadata.uid)?.size ?? sizeOf(job);
        return sizeOf(job) > size
          ? [`batch Job ${job.metadata.name} runs ${sizeOf(job)} pods, admitted for ${size}`]
          : [];
      });
    const cutShort = this.#past.gangs
      .runningOn()
      .map(({ metadata }) => `${metadata.name} runs on without a rank that was taken away`);
    return [...suspended, ...loose, ...scaledUp, ...cutShort].map((key) => [
      key,
      { oracle: 'stops', withinMs: STOPS_WITHIN_MS },
    ]);
  }

  #notAdmitted(): readonly (readonly [string, Soon])[] {
    const { server, wallMs } = this.#in;
    return admissible(server, { wallMs: wallMs(), users: this.#past.users }).map(
      ({ name, queue }) => [
        `${name} waits in ${queue}, and there is room for it`,
        { oracle: 'work-conserving', withinMs: ADMITS_WITHIN_MS },
      ],
    );
  }
}

function noteSince(since: Map<string, number>, jobs: readonly Waiting[], now: number): void {
  const uids = new Set(jobs.map(({ job }) => job.metadata.uid ?? ''));
  for (const uid of since.keys()) if (!uids.has(uid)) since.delete(uid);
  for (const uid of uids) if (!since.has(uid)) since.set(uid, now);
}
