// What does the operator's own thread go through? Preloaded into its process: how long it was at
// work in one go, and how large its heap was.
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
    // A machine that had no core for it is not its doing: what counts is what it worked.
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
