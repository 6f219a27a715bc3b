// What have the workers of a pool written down, those that are gone included?
import { readRecord, type WorkerRecord, type WorkerRecords } from '../checks/records.ts';
import type { Following, Kubectl } from './kubectl.ts';
import type { WorkerObservation } from './observation.ts';

type Followed = {
  readonly worker: string;
  readonly pod: string;
  readonly records: WorkerRecord[];
  readonly following: Following;
};

/** Follows each pod from its first line: a log goes with its pod. */
export class Logs {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;
  readonly #followed = new Map<string, Followed>();

  constructor(kubectl: Kubectl, namespace: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
  }

  get all(): readonly WorkerRecords[] {
    return [...this.#followed.values()];
  }

  /**
   * To be called often: a pod that was never seen Ready is not followed, and has started nothing
   * that counts.
   */
  attend(workers: readonly WorkerObservation[]): void {
    for (const { name, pod } of workers) {
      if (pod === undefined || !pod.isReady) continue;
      const known = this.#followed.get(pod.uid);
      // A connection that broke: read again from the beginning, in place of what was read before.
      if (known === undefined || (known.following.hasEnded && !pod.isEnding))
        this.#follow(name, pod.uid);
    }
  }

  async end(): Promise<void> {
    await Promise.all(
      [...this.#followed.values()]
        .filter(({ following }) => !following.hasEnded)
        .map(({ following }) => following.end()),
    );
  }

  #follow(worker: string, pod: string): void {
    const records: WorkerRecord[] = [];
    const following = this.#kubectl.follow(
      ['-n', this.#namespace, 'logs', '--follow', `pod/${worker}`],
      (line) => {
        const record = readRecord(line);
        if (record !== undefined) records.push(record);
      },
    );
    this.#followed.set(pod, { worker, pod, records, following });
  }
}
