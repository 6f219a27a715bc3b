// What did each operator process learn, and when? The answers of workers as they arrived, used or
// not.
import type { WorkerReport } from '../../../src/api/report.ts';
import { readReport } from '../../../src/api/report.ts';
import type { Decision } from '../../../src/core/decision.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';

/**
 * `report` is undefined if probes failed; `hasFailedSince`: one probe has failed since the
 * report.
 */
export type Heard = {
  readonly at: number;
  readonly report: WorkerReport | undefined;
  readonly hasFailedSince: boolean;
};

export type Look = { readonly at: number; readonly world: PoolWorld; readonly decision: Decision };

/** A decision is made a little after its world was observed. */
const FRESH_MS = 1_000;
/** The longest time between the decision of a status and its write. */
const SLOWEST_WRITE_MS = 11_000;
const LOOKS = 12;

export class Knowledge {
  /** By process, then by pod UID. */
  readonly #heard = new Map<string, Map<string, Heard[]>>();
  /** By process and pool: its last decisions. */
  readonly #looks = new Map<string, Look[]>();

  #askedNobodyAt = -1;

  /** An answer or a failed probe; an answer that names another pod counts for that pod. */
  onAnswer(identity: string, uid: string | undefined, text: string | undefined, at: number): void {
    const report = text === undefined ? undefined : readReport(text);
    const whose = report?.podUid ?? uid;
    if (whose === undefined) return;
    const byPod = this.#heard.get(identity) ?? new Map<string, Heard[]>();
    this.#heard.set(identity, byPod);
    const before = byPod.get(whose) ?? [];
    const last = before.findLastIndex((heard) => heard.at < at - SLOWEST_WRITE_MS - FRESH_MS);
    const latest = before.at(-1);
    // One failed probe proves nothing; the second in a row does.
    const isFirstFailure =
      report === undefined && latest?.report !== undefined && !latest.hasFailedSince;
    const heard = isFirstFailure
      ? { at, report: latest.report, hasFailedSince: true }
      : { at, report, hasFailedSince: false };
    byPod.set(whose, [...before.slice(Math.max(0, last)), heard]);
  }

  onDecided(identity: string, pool: string, look: Look): void {
    const key = `${identity} ${pool}`;
    this.#looks.set(key, [...(this.#looks.get(key) ?? []), look].slice(-LOOKS));
  }

  /** The decision that this status belongs to, if it was recorded. */
  lookOf(identity: string, pool: string, status: unknown): Look | undefined {
    const text = JSON.stringify(status);
    const isIt = ({ decision }: Look): boolean =>
      decision.steps.some((step) => step.do === 'status' && JSON.stringify(step.status) === text);
    return this.#looks.get(`${identity} ${pool}`)?.findLast(isIt);
  }

  /** The operator's last decision: the status about a refused write is based on it. */
  lastLook(identity: string, pool: string): Look | undefined {
    return this.#looks.get(`${identity} ${pool}`)?.at(-1);
  }

  /**
   * What a pod had reported last at that time, and shortly before: a decision may be based on any
   * of these.
   */
  lately(identity: string, uid: string, at: number): readonly Heard[] {
    const all = (this.#heard.get(identity)?.get(uid) ?? []).filter((heard) => heard.at <= at);
    const last = all.findLastIndex((heard) => heard.at < at - FRESH_MS);
    return all.slice(Math.max(0, last));
  }

  lastOf(identity: string, uid: string): Heard | undefined {
    return this.#heard.get(identity)?.get(uid)?.at(-1);
  }

  /** The pool has probe None: no operator has to remember what workers reported before. */
  askedNobody(at: number): void {
    this.#askedNobodyAt = at;
  }

  /** Every recent answer of the pod at that time names the stream. */
  isKnownToRun(identity: string, uid: string, stream: string, until: number): boolean {
    const heard = this.lately(identity, uid, until).filter(({ at }) => at > this.#askedNobodyAt);
    const said = heard.flatMap(({ report }) => report ?? []);
    return said.length > 0 && said.every(({ jobs }) => jobs?.includes(stream) === true);
  }
}
