// The demo's operator: started, killed and started again.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type OperatorProcess, startOperatorProcess } from '../../playground/operator-process.ts';
import type { Guard } from '../../playground/processes/guard.ts';
import { claimPorts, type PortClaim } from '../../playground/processes/ports.ts';
import type { DemoAction } from './cluster.ts';

export type DemoOperator = {
  readonly logFile: string;
  /** The URL of its page, the same after each start. */
  readonly page: string;
  readonly isUp: boolean;
  /** Its start failed, and its process may be there: only the guard knows it. */
  readonly isAstray: boolean;
  start(): Promise<void>;
  kill(): DemoAction;
  stop(): Promise<void>;
  lastLines(): readonly string[];
};

const LAST_LINES = 8;

export function makeOperator({
  folder,
  ...options
}: {
  readonly kubeconfig: string;
  readonly folder: string;
  readonly guard: Guard;
  readonly args: readonly string[];
}): DemoOperator {
  const logFile = path.join(folder, 'operator.log');
  let running: OperatorProcess | undefined;
  let isAstray = false;
  let claim: PortClaim | undefined;
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const operator = running;
    running = undefined;
    if (operator !== undefined && !operator.hasEnded) await operator.end(signal);
  };
  return {
    logFile,
    get page() {
      return claim === undefined ? 'not there yet' : `http://127.0.0.1:${claim.first}/`;
    },
    get isUp() {
      return running !== undefined && !running.hasEnded;
    },
    get isAstray() {
      return isAstray;
    },
    start: async () => {
      claim ??= await claimPorts(1);
      isAstray = true;
      const args = [...options.args, '--introspection-port', String(claim.first)];
      running = await startOperatorProcess({ ...options, logFile, args });
      isAstray = false;
    },
    kill: () => ({ typed: `kill -9 ${running?.pid}   # the operator`, run: () => end('SIGKILL') }),
    stop: async () => {
      await end('SIGTERM');
      await claim?.release();
    },
    lastLines: () => lastLinesOf(logFile),
  };
}

function lastLinesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
  } catch {
    return [];
  }
}
