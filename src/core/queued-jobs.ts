// What do jobs learn from their queues? Why each waits, and which admissions are valid.
import { type ExactRef, keyOf, type Ref } from '../api/objects.ts';
import { isSameJson } from './json.ts';
import type { Reason } from './reason.ts';

/** `isStalled`: the job can never start as things are. */
export type Verdict = Reason<string> & { readonly isStalled?: boolean };

/**
 * The queues of this operator write it, and its jobs read it. Without queues that decide, no
 * namespace has an epoch, so no job begins, and no status says why a job waits. Without jobs, a
 * verdict stays unread until the queues take it back.
 */
export class QueuedJobs {
  /** The epoch of each namespace. */
  readonly #epochs = new Map<string, string>();
  readonly #verdicts = new Map<string, { readonly uid: string; readonly verdict: Verdict }>();
  #onVerdict: (job: Ref) => void = () => undefined;

  /** The epoch of a namespace; undefined: its queues have decided nothing in this term yet. */
  epochIn(namespace: string): string | undefined {
    return this.#epochs.get(namespace);
  }

  /** Returns the epoch of a namespace whose queues decide; begins one if there is none. */
  beginEpoch(namespace: string, newEpoch: () => string): string {
    const epoch = this.#epochs.get(namespace) ?? newEpoch();
    this.#epochs.set(namespace, epoch);
    return epoch;
  }

  endEpoch(namespace: string): void {
    this.#epochs.delete(namespace);
  }

  /** Why a job waits; undefined: it does not wait, or its queue has not decided yet. */
  verdictOn(job: ExactRef): Verdict | undefined {
    const known = this.#verdicts.get(keyOf(job));
    return known?.uid === job.uid ? known.verdict : undefined;
  }

  /** Calls `onVerdict` when the verdict on a job has changed. */
  listen(onVerdict: (job: Ref) => void): void {
    this.#onVerdict = onVerdict;
  }

  /** A verdict of undefined: the job does not wait any more. */
  setVerdict(job: ExactRef, verdict: Verdict | undefined): void {
    const key = keyOf(job);
    const { uid } = job;
    const known = this.#verdicts.get(key);
    if (known?.uid === uid ? isSameJson(known.verdict, verdict) : verdict === undefined) return;
    if (verdict === undefined) this.#verdicts.delete(key);
    else this.#verdicts.set(key, { uid, verdict });
    this.#onVerdict(job);
  }

  /** Drops the verdict on an earlier job of the same name. */
  replaced(job: Ref, uid: string | undefined): void {
    if (this.#verdicts.get(keyOf(job))?.uid !== uid) this.#verdicts.delete(keyOf(job));
  }
}
