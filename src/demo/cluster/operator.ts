// The demo's operator: started, killed and started again.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { orUndefined } from '../../api/attempt.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperatorProcess,
} from '../../playground/operator-process.ts';
import { claimPorts } from '../../playground/processes/ports.ts';
import type { DemoAction } from './cluster.ts';

export type DemoOperator = {
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
