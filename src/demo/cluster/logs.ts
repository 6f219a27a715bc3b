// Follows the logs of a pool's workers, and keeps the records of those that are gone.
import { logLines } from '../../cli/cluster/logs.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { readRecord, type WorkerRecord, type WorkerRecords } from '../checks/records.ts';
import type { WorkerObservation } from './observation.ts';

type Followed = WorkerRecords & { readonly records: WorkerRecord[]; hasEnded: boolean };

const FROM_FIRST_LINE = { follow: true, tail: undefined, container: undefined };

/** Follows each pod from its first line: a log is deleted with its pod. */
export class Logs {
  readonly #config: PooledKubeConfig;
  readonly #namespace: string;
  readonly #followed = new Map<string, Followed>();
  readonly #ended = new AbortController();
  readonly #reads: Promise<void>[] = [];

  constructor(config: PooledKubeConfig, namespace: string) {
    this.#config = config;
    this.#namespace = namespace;
  }

  get all(): readonly WorkerRecords[] {
    return [...this.#followed.values()];
  }

  /** To be called often. A pod that was never seen Ready has started nothing that counts. */
  follow(workers: readonly WorkerObservation[]): void {
    for (const { name, pod } of workers) {
      if (pod === undefined || !pod.isReady) continue;
      const known = this.#followed.get(pod.uid);
      // After a broken connection the whole log is read again, in place of the earlier records.
      if (known === undefined || (known.hasEnded && !pod.isEnding))
        this.#reads.push(this.#read(name, pod.uid));
    }
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#reads);
  }

  async #read(worker: string, pod: string): Promise<void> {
    const followed: Followed = { worker, pod, records: [], hasEnded: false };
    this.#followed.set(pod, followed);
    const ref = { namespace: this.#namespace, name: worker };
    try {
      for await (const line of logLines(this.#config, ref, FROM_FIRST_LINE, this.#ended.signal)) {
        const record = readRecord(line);
        if (record !== undefined) followed.records.push(record);
      }
    } catch {
      // Read again as long as the pod is there.
    } finally {
      followed.hasEnded = true;
    }
  }
}
