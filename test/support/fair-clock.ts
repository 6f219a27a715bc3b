// How much time has a busy machine really given us? Seconds during which whoever had work to do had
// a core to do it on.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * A promise of "within 30 s" is one of a machine that is not overloaded, and no longer wait would
 * be right on every other. A thread that works for a moment now and then measures which share of a
 * core it gets; time goes on at that pace, and not at all while the machine stands still.
 */
export class FairClock {
  readonly #passed = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  readonly #thread: Worker;

  constructor() {
    this.#thread = new Worker(fileURLToPath(new URL('./fair-clock-thread.ts', import.meta.url)), {
      workerData: this.#passed,
    });
    this.#thread.unref();
  }

  /** Milliseconds since it was made. */
  now(): number {
    return this.#passed[0] ?? 0;
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
