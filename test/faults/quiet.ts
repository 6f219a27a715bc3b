// Does the operator write nothing at rest, for ten resyncs of a second each?
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/processes.ts';
import type { OperatedNamespace } from './operated-namespace.ts';

const QUIET_MS = 10_000;
const QUIET_WITHIN_SECONDS = 30;

export async function untilQuiet({
  arena,
  namespace,
}: Pick<OperatedNamespace, 'arena' | 'namespace'>): Promise<void> {
  let count = arena.audit.writesIn(namespace).length;
  let since = performance.now();
  await eventually(
    `${namespace}: no write for ${QUIET_MS / 1000} s`,
    async () => {
      const writes = arena.audit.writesIn(namespace);
      if (writes.length !== count) since = performance.now();
      count = writes.length;
      await delay(100);
      return performance.now() - since >= QUIET_MS;
    },
    QUIET_WITHIN_SECONDS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${arena.audit.writesIn(namespace).slice(-10).join(', ')}`);
  });
}
