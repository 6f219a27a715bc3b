// How long does the operator's thread work without a pause, and how large is its heap? Preloaded
// into its process.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export const GAUGE_FILE = 'SWARM_GAUGE_FILE';

export type GaugeLine = {
  readonly at: number;
  readonly heldMs?: number;
  readonly workedMs?: number;
  readonly heapMiB?: number;
};

const TICK_MS = 20;
const TOLD_FROM_MS = 50;
const HEAP_MS = 500;
const MIB = 1024 * 1024;

const file = process.env[GAUGE_FILE];
if (file !== undefined && isMainThread) watch(file);

function watch(to: string): void {
  const tell = (line: GaugeLine): void => appendFileSync(to, `${JSON.stringify(line)}\n`);
  let last = { at: performance.now(), worked: workedMs() };
  const tick = (): void => {
    const now = { at: performance.now(), worked: workedMs() };
    const heldMs = now.at - last.at - TICK_MS;
    // A machine without a free core is not the operator's fault: only its own work counts.
    if (heldMs >= TOLD_FROM_MS)
      tell({ at: Date.now(), heldMs, workedMs: now.worked - last.worked });
    last = now;
  };
  setInterval(tick, TICK_MS).unref();
  setInterval(
    () => tell({ at: Date.now(), heapMiB: process.memoryUsage().heapUsed / MIB }),
    HEAP_MS,
  ).unref();
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
