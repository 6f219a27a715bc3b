// How much memory does a process use, and for what does it use its time? Measured through its
// inspector.
import { readFileSync } from 'node:fs';
import { asNumber, asRecord, asString, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import { residentMiB } from './processor.ts';

/**
 * Node takes at most half of a container's memory as heap: half of the 512 MiB in deploy/. On this
 * machine it would take more.
 */
const HEAP_MIB = 256;

/** The environment of a process to inspect, at a free port of the loopback. */
export const inspectable = (heapMiB = HEAP_MIB): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --max-old-space-size=${heapMiB} --inspect=127.0.0.1:0`,
});

const MIB = 1024 * 1024;

export type Memory = {
  /** Of JavaScript, after a garbage collection. */
  readonly heapMiB: number;
  /** Buffers, outside of the heap. */
  readonly externalMiB: number;
  /** Before that collection: compare this with a container's limit. */
  readonly residentMiB: number;
};

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  readonly #pid: number;
  #last = 0;

  private constructor(socket: WebSocket, pid: number) {
    this.#socket = socket;
    this.#pid = pid;
    socket.addEventListener('message', ({ data }) => {
      const answer: unknown = JSON.parse(String(data));
      const id = asNumber(dig(answer, 'id')) ?? -1;
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  /** Attaches to a process that was started with `inspectable`. */
  static async attach({
    pid,
    logFile,
  }: Pick<OperatorProcess, 'pid' | 'logFile'>): Promise<Inspector> {
    const address = /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1];
    if (address === undefined)
      throw new Error(`the process ${pid} has no inspector; its log is ${logFile}`);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener(
        'error',
        () => reject(new Error(`the inspector of ${pid} does not answer`)),
        { once: true },
      );
    });
    return new Inspector(socket, pid);
  }

  async memory(): Promise<Memory> {
    const resident = residentMiB(this.#pid);
    await this.ask('HeapProfiler.collectGarbage');
    const { result } = await this.ask('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
    });
    const usage: unknown = JSON.parse(asString(dig(result, 'value')) ?? '{}');
    const mib = (name: string): number => (asNumber(dig(usage, name)) ?? 0) / MIB;
    return { heapMiB: mib('heapUsed'), externalMiB: mib('external'), residentMiB: resident };
  }

  /** In the format of `--cpu-prof`. */
  async profiled(work: () => Promise<void>): Promise<string> {
    await this.ask('Profiler.enable');
    await this.ask('Profiler.start');
    await work();
    const { profile } = await this.ask('Profiler.stop');
    return JSON.stringify(profile);
  }

  ask(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        const problem = dig(answer, 'error', 'message');
        if (problem === undefined) resolve(asRecord(dig(answer, 'result')) ?? {});
        else reject(new Error(`${method}: ${String(problem)}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
