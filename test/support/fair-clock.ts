// How much time did a busy machine really provide? Seconds during which a core was available for
// work.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * A promise of "within 30 s" assumes a machine that is not overloaded, and no longer limit would
 * fit all others. A thread that works for a moment now and then measures its share of a core; this
 * clock runs at that rate, and stops while the machine is suspended.
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

  /** Milliseconds since its creation. */
  now(): number {
    return this.#passed[0] ?? 0;
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
