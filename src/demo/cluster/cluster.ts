// What does the demo need of a cluster, its own or a given one, and of the operator in it?
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { orUndefined } from '../../api/text.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperatorProcess,
} from '../../playground/operator-process.ts';
import { claimPorts } from '../../playground/processes/ports.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { loadKubeConfig } from '../../runtime/client/load-config.ts';
import type { Kubectl } from './kubectl.ts';
import type { WorkerObservation } from './observation.ts';
import type { PoolName } from './sample.ts';

/** `typed`: the command by which a user would do the same. */
export type DemoAction = { readonly typed: string; run(): Promise<void> };

export type DemoCluster = {
  readonly kubeconfig: string;
  readonly config: PooledKubeConfig;
  readonly kubectl: Kubectl;
  /** The folder of a sample, for `kubectl apply -k`. */
  sampleFolder(name: PoolName): string;
  readonly api: KubeApi;
  readonly operator: DemoOperator;
  /** SIGKILL to its processes on this machine; in a given cluster its pod is deleted. */
  killWorker(worker: WorkerObservation): DemoAction;
  /** Advice for when this machine reaches no pod. */
  wayToPods(): Promise<readonly string[]>;
  /** Ends and removes all that the demo made; returns what that was. */
  stop(): Promise<string>;
};

export function connect(kubeconfig: string) {
  const config = loadKubeConfig({ file: kubeconfig });
  return { config, api: new KubeClient(config, { userAgent: 'swarm-demo' }) };
}

type DemoOperator = {
  readonly logFile: string;
  /** The URL of its page, the same after each start. */
  readonly page: string;
  readonly isUp: boolean;
  start(): Promise<void>;
  kill(): DemoAction;
  stop(): Promise<void>;
  lastLines(): readonly string[];
};

const LAST_LINES = 8;

export async function makeOperator(
  folder: string,
  options: Pick<OperatorProcessOptions, 'kubeconfig' | 'guard' | 'args'>,
): Promise<DemoOperator> {
  const logFile = path.join(folder, 'operator.log');
  const { first: port, release } = await claimPorts(1);
  const args = [...(options.args ?? []), '--introspection-port', String(port)];
  let running: OperatorProcess | undefined;
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const operator = running;
    running = undefined;
    if (operator !== undefined && !operator.hasEnded) await operator.end(signal);
  };
  return {
    logFile,
    page: `http://127.0.0.1:${port}/`,
    get isUp() {
      return running !== undefined && !running.hasEnded;
    },
    start: async () => {
      running = await startOperatorProcess({ ...options, logFile, args });
    },
    kill: () => ({ typed: `kill -9 ${running?.pid}   # the operator`, run: () => end('SIGKILL') }),
    stop: async () => {
      await end('SIGTERM');
      await release();
    },
    lastLines: () => {
      const log = orUndefined(() => readFileSync(logFile, 'utf8'));
      return log?.trimEnd().split('\n').slice(-LAST_LINES) ?? [];
    },
  };
}
