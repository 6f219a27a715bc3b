// How does a test start an attacker, and read what it has done?
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AttackRun } from './attack-order.ts';
import type { Expected, Ports, Tally, Victim } from './tenant.ts';

export type AttackerOptions = {
  /** With its own token. */
  readonly kubeconfig: string;
  /** For the kubelet of its pods. */
  readonly adminKubeconfig: string;
  readonly namespaces: readonly [string, string];
  readonly victim: Victim;
  readonly ports: Ports;
  readonly seed: number;
  readonly only?: readonly string[] | undefined;
};

export type Command = 'begin' | 'report' | 'rest' | 'end';

export type Report = {
  readonly tallies: readonly (Tally & { readonly kind: string })[];
  readonly expected: readonly (readonly [pool: string, says: Expected['says']])[];
  /** The newest last. */
  readonly last: readonly AttackRun[];
  readonly believed: readonly string[];
  readonly mistakes: readonly string[];
};

export class Attacker {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async start(options: AttackerOptions): Promise<Attacker> {
    const file = fileURLToPath(new URL('./attacker-thread.ts', import.meta.url));
    const attacker = new Attacker(new Worker(file, { workerData: options }));
    await attacker.#told();
    return attacker;
  }

  begin(): void {
    this.#thread.postMessage('begin' satisfies Command);
  }

  report(): Promise<Report> {
    return this.#do('report');
  }

  /** Stops writes and new connections; its pods stay, and answer as before. */
  rest(): Promise<Report> {
    return this.#do('rest');
  }

  async end(): Promise<void> {
    await this.#do('end');
    await this.#thread.terminate();
  }

  async #do(command: Command): Promise<Report> {
    const told = this.#told();
    this.#thread.postMessage(command);
    return told;
  }

  /** One response to one command at a time. */
  async #told(): Promise<Report> {
    const [report] = await once(this.#thread, 'message');
    return report as Report;
  }
}
