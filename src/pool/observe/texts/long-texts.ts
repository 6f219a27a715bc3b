// How are long texts parsed without blocking the main thread? On a second thread, one at a time.
import { Worker } from 'node:worker_threads';
import type { ReadAssignment } from '../../../api/assignment.ts';
import type { ReadStreamList } from '../../../api/stream-list.ts';

/** A text at its bounds needs half of it. */
const HEAP_MIB = 160;

/** `source`: where a list of streams comes from. */
export type ReadRequest = { readonly text: string; readonly source?: string };
export type Reading<T> = { readonly value: T; readonly workedMs: number };

export type Reader = {
  readonly assignment: (text: string) => Promise<Reading<ReadAssignment>>;
  readonly list: (text: string, source: string) => Promise<Reading<ReadStreamList>>;
};

type Waiter = {
  readonly question: ReadRequest;
  // The reply has the type that the request asked for.
  readonly settle: (reading: Reading<never>) => void;
  readonly refuse: (problem: string) => void;
  readonly fail: (error: Error) => void;
};

export class LongTexts implements Reader {
  readonly #heapMiB: number;
  readonly #waiting: Waiter[] = [];
  #thread: Worker | undefined;
  #reading: Waiter | undefined;

  constructor(heapMiB = HEAP_MIB) {
    this.#heapMiB = heapMiB;
  }

  assignment(text: string): Promise<Reading<ReadAssignment>> {
    return this.#ask<ReadAssignment>({ text }, (problem) => ({ ok: false, problem }));
  }

  list(text: string, source: string): Promise<Reading<ReadStreamList>> {
    return this.#ask<ReadStreamList>({ text, source }, (message) => ({
      ok: false,
      problems: [{ field: source, message }],
    }));
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #ask<T>(question: ReadRequest, refused: (problem: string) => T): Promise<Reading<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<Reading<T>>();
    this.#waiting.push({
      question,
      settle: resolve,
      refuse: (problem) => resolve({ value: refused(problem), workedMs: 0 }),
      fail: reject,
    });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#reading !== undefined) return;
    this.#reading = this.#waiting.shift();
    if (this.#reading === undefined) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(this.#reading.question);
  }

  #start(): Worker {
    const thread = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: this.#heapMiB } });
    // Does not keep the process alive.
    thread.unref();
    thread.on('message', (reading) => this.#done((waiter) => waiter.settle(reading)));
    thread.on('error', (error: NodeJS.ErrnoException) => {
      this.#thread = undefined;
      this.#done((waiter) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          waiter.refuse(`it cannot be read within ${this.#heapMiB} MiB of memory`);
        else waiter.fail(error);
      });
    });
    return thread;
  }

  #done(tell: (waiter: Waiter) => void): void {
    const waiter = this.#reading;
    this.#reading = undefined;
    if (waiter !== undefined) tell(waiter);
    this.#next();
  }
}

/** JavaScript in the image, TypeScript when run from source. */
const built = new URL('./long-texts-thread.js', import.meta.url);
const entry = import.meta.url.endsWith('.ts') ? new URL(built.href.replace(/js$/, 'ts')) : built;
