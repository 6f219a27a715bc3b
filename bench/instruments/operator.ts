// How does a benchmark start the operator? Like a test, and with an inspector.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperatorProcess,
} from '../../src/playground/operator-process.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { Inspector, inspectable } from './inspector.ts';

export type Inspected = {
  readonly process: OperatorProcess;
  readonly inspector: Inspector;
  /** Until it had listed all that it watches. */
  readonly syncedSeconds: number;
  end(): Promise<void>;
};

/** Without leader election. */
export async function startInspected(swarm: Swarm, ...args: readonly string[]): Promise<Inspected> {
  const kubeconfig = await swarm.kubeconfigOf('swarm-operator', 'swarm-operator');
  return startInspectedWith({ kubeconfig, guard: swarm.playground.guard, args });
}

export type InspectedOptions = Pick<
  OperatorProcessOptions,
  'kubeconfig' | 'guard' | 'args' | 'readySeconds'
> & {
  readonly heapMiB?: number;
};

export async function startInspectedWith({
  args = [],
  heapMiB,
  ...options
}: InspectedOptions): Promise<Inspected> {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-bench-'));
  const start = performance.now();
  const operator = await startOperatorProcess({
    ...options,
    logFile: path.join(folder, 'operator.log'),
    args: ['--leader-election', 'false', ...args],
    environment: inspectable(heapMiB),
  });
  const syncedSeconds = (performance.now() - start) / 1000;
  const inspector = await Inspector.attach(operator);
  return {
    process: operator,
    inspector,
    syncedSeconds,
    end: async () => {
      inspector.close();
      await operator.end();
      rmSync(folder, { recursive: true });
    },
  };
}
