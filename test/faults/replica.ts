// One operator process, with the permissions that deploy/ gives it, behind its own proxy to the API
// server.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import {
  type OperatorProcess,
  startOperatorProcess,
} from '../../src/playground/operator-process.ts';
import type { Swarm } from '../integration/support/swarm.ts';
import { strangeLinesIn } from '../support/operator-logs.ts';
import { FaultProxy } from './proxy/proxy.ts';

export type ReplicaOptions = {
  readonly swarm: Swarm;
  readonly namespace: string;
  /** Only for its logs and credentials. */
  readonly folder: string;
  /** Left out: it runs without leader election. */
  readonly isElected?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
};

export class Replica {
  readonly proxy: FaultProxy;
  readonly tokenFile: string;
  readonly authorityFile: string;
  readonly #options: ReplicaOptions;
  readonly #processes: OperatorProcess[] = [];
  /** Those that a test killed on purpose. */
  readonly #killed = new Set<OperatorProcess>();

  private constructor(options: ReplicaOptions, proxy: FaultProxy, token: string) {
    this.#options = options;
    this.proxy = proxy;
    this.tokenFile = path.join(options.folder, 'token');
    this.authorityFile = path.join(options.folder, 'ca.crt');
    writeFileSync(this.tokenFile, token);
    this.writeAuthority();
  }

  static async start(options: ReplicaOptions): Promise<Replica> {
    const token = await options.swarm.kubectl(
      '-n',
      'swarm-operator',
      'create',
      'token',
      'swarm-operator',
    );
    const replica = new Replica(
      options,
      await FaultProxy.start(options.swarm.playground.plane),
      token,
    );
    await replica.startAgain();
    return replica;
  }

  get process(): OperatorProcess {
    const last = this.#processes.at(-1);
    if (last === undefined) throw new Error('no operator was started');
    return last;
  }

  /** The proxy's present certificate, as a rotated volume would show it. */
  writeAuthority(): void {
    writeFileSync(this.authorityFile, this.proxy.certificate);
  }

  async startAgain(): Promise<void> {
    const { folder, namespace, swarm, isElected = false, environment = {} } = this.#options;
    const kubeconfig = path.join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, dump(this.#kubeconfig()));
    const logFile = path.join(folder, `operator-${this.#processes.length}.log`);
    const flags = {
      namespaces: namespace,
      'lease-namespace': namespace,
      'leader-election': String(isElected),
      'resync-seconds': '1',
    };
    const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
    this.#processes.push(
      await startOperatorProcess({
        kubeconfig,
        logFile,
        guard: swarm.playground.guard,
        args,
        environment,
      }),
    );
  }

  kill(): Promise<void> {
    this.#killed.add(this.process);
    return this.process.end('SIGKILL');
  }

  /** Ends the process in any state, also a frozen one. */
  async close(): Promise<void> {
    for (const it of this.#processes) if (!it.hasEnded) await it.end('SIGKILL');
    await this.proxy.close();
  }

  logs(): string {
    return this.#processes.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
  }

  /** What is wrong with the processes themselves. */
  complaints(): readonly string[] {
    const ended = this.#processes
      .filter((it) => it.hasEnded && !this.#killed.has(it))
      .map(({ logFile }) => `it ended by itself: ${logFile}`);
    return [...ended, ...strangeLinesIn(this.logs())];
  }

  #kubeconfig(): object {
    return {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'proxied',
          cluster: { server: this.proxy.url, 'certificate-authority': this.authorityFile },
        },
      ],
      users: [
        {
          name: 'operator',
          user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile: this.tokenFile } } },
        },
      ],
      contexts: [
        {
          name: 'proxied',
          context: { cluster: 'proxied', user: 'operator', namespace: this.#options.namespace },
        },
      ],
      'current-context': 'proxied',
    };
  }
}
