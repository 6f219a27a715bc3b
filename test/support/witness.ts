// What really runs, and what does status claim, however busy the test and the operator are? A
// thread with its own connections watches both.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Violation } from './witness-testimony.ts';

export type WitnessOptions = {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Of the workers; by default 9090. */
  readonly port?: number;
};

export type WitnessReport = {
  readonly namespace: string;
  readonly rounds: number;
  readonly answers: number;
  readonly statuses: number;
  readonly publications: number;
  readonly violations: readonly Violation[];
};

export class Witness {
  readonly #thread: Worker;
  #report: Promise<WitnessReport> | undefined;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** Resolves when it sees all existing objects. */
  static async start(options: WitnessOptions): Promise<Witness> {
    const thread = new Worker(fileURLToPath(new URL('./witness-thread.ts', import.meta.url)), {
      workerData: options,
    });
    await once(thread, 'message');
    return new Witness(thread);
  }

  /**
   * The violations that it has seen; also as JSON in a file, if one is given. A second call returns
   * the same.
   */
  async end(file?: string): Promise<WitnessReport> {
    this.#report ??= this.#finish();
    const report = await this.#report;
    if (file !== undefined) writeFileSync(file, JSON.stringify(report, null, 2));
    return report;
  }

  async #finish(): Promise<WitnessReport> {
    const answer = once(this.#thread, 'message');
    this.#thread.postMessage('end');
    const [report] = await answer;
    await this.#thread.terminate();
    return report;
  }
}

/** One line for each violation. */
export const complaintsOf = ({ violations }: WitnessReport): readonly string[] =>
  violations.map(
    ({ rule, pool, message, sinceMs, seenMs }) =>
      `${rule} of ${pool}: ${message}, for ${Math.round(seenMs - sinceMs)} ms so far`,
  );
