// How long does one reading take without coverage? Coverage makes code several times as slow.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

type Asked = { readonly input: string };

/**
 * The fastest of so many readings counts: the first one compiles, any one may be interrupted by
 * garbage collection.
 */
const TIMES = 3;

export class Stopwatch {
  readonly #worker: Worker;

  constructor(target: string) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: target });
  }

  /**
   * In milliseconds of this thread's processor time, which does not depend on the load of the
   * machine.
   */
  async measure(input: string): Promise<number> {
    this.#worker.postMessage({ input } satisfies Asked);
    const [ms]: readonly number[] = await once(this.#worker, 'message');
    return ms ?? 0;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

export const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

if (!isMainThread && typeof workerData === 'string') {
  const { targets } = await import('../../test/fuzz/targets/all.ts');
  const target = targets.find(({ name }) => name === workerData);
  parentPort?.on('message', async ({ input }: Asked) => {
    const times: number[] = [];
    for (let count = 0; count < TIMES; count += 1) {
      const before = cpuMs();
      await target?.read(input);
      times.push(cpuMs() - before);
    }
    parentPort?.postMessage(Math.min(...times));
  });
}
