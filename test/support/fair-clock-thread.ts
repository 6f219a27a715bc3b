// Which share of a core is available for work? Measured four times a second, by working.
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

/** Longer than a scheduler's time slice: within it, a thread that waits for a core gets one. */
const WORK_MS = 8;
const PAUSE_MS = 240;
/** A longer pause means that the machine was busy. */
const LONGEST_PAUSE_MS = 2 * PAUSE_MS;

/** On a machine with a smaller share no timing can be checked, and a wait must end some time. */
const LEAST_SHARE = 0.1;

const passed = workerData as Float64Array;

const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

for (;;) {
  const start = performance.now();
  const workedAtStart = workedMs();
  while (workedMs() - workedAtStart < WORK_MS);
  const tookMs = performance.now() - start;
  const share = Math.max(LEAST_SHARE, Math.min(1, WORK_MS / tookMs));
  await delay(PAUSE_MS);
  const pausedMs = Math.min(performance.now() - start - tookMs, LONGEST_PAUSE_MS);
  passed[0] = (passed[0] ?? 0) + (tookMs + pausedMs) * share;
}
