// What do the queues say of the jobs in them? Why each waits, and which admissions are valid.
import { type ExactRef, keyOf, type Ref } from '../api/objects.ts';
import { isSameJson } from './json.ts';
import type { Reason } from './reason.ts';

/** `isStalled`: the job can never start as things are. */
export type Verdict = Reason<string> & { readonly isStalled?: boolean };

/**
 * The queues of this operator write it, and its jobs read it. Without queues that decide, no
 * namespace has an epoch, so that no job begins, and none says why it waits. Without jobs, nobody
 * reads: a verdict stays until the queues take it back.
 */
export class QueuedJobs {
  /** By namespace. */
  readonly #epochs = new Map<string, string>();
  readonly #verdicts = new Map<string, { readonly uid: string; readonly verdict: Verdict }>();
  #onVerdict: (job: Ref) => void = () => undefined;

  /** Of the queues of a namespace in this term; undefined: they have decided nothing in it yet. */
  epochIn(namespace: string): string | undefined {
    return this.#epochs.get(namespace);
  }

  /** The queues of a namespace decide, as they did before or from now on. */
  beginEpoch(namespace: string, newEpoch: () => string): string {
    const epoch = this.#epochs.get(namespace) ?? newEpoch();
    this.#epochs.set(namespace, epoch);
    return epoch;
  }

  endEpoch(namespace: string): void {
    this.#epochs.delete(namespace);
  }

  /** Why this job waits; undefined: it does not wait, or nothing is known. */
  verdictOn(job: ExactRef): Verdict | undefined {
    const known = this.#verdicts.get(keyOf(job));
    return known?.uid === job.uid ? known.verdict : undefined;
  }

  /** `onVerdict`: the verdict on this job has changed. */
  listen(onVerdict: (job: Ref) => void): void {
    this.#onVerdict = onVerdict;
  }

  /** Undefined: it does not wait any more. */
  setVerdict(job: ExactRef, verdict: Verdict | undefined): void {
    const key = keyOf(job);
    const { uid } = job;
    const known = this.#verdicts.get(key);
    if (known?.uid === uid ? isSameJson(known.verdict, verdict) : verdict === undefined) return;
    if (verdict === undefined) this.#verdicts.delete(key);
    else this.#verdicts.set(key, { uid, verdict });
    this.#onVerdict(job);
  }

  /** A verdict on an earlier job of this name means nothing any more. */
  replaced(job: Ref, uid: string | undefined): void {
    if (this.#verdicts.get(keyOf(job))?.uid !== uid) this.#verdicts.delete(keyOf(job));
  }
}
