// Helpers for tests that start processes and check their end.
import { listProcesses } from '../../src/playground/processes/processes.ts';

let clock: () => number = () => performance.now();

/** From now on `eventually` measures its seconds with this clock. */
export function waitBy(now: () => number): void {
  clock = now;
}

/** Most conditions ask an API server: those that take seconds are asked less and less often. */
const FIRST_PAUSE_MS = 20;
const GROWTH = 1.2;
const LONGEST_PAUSE_MS = 200;

/** Waits for a condition; the error message names it. The end is for very slow machines. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  seconds = 300,
): Promise<void> {
  const deadline = clock() + seconds * 1_000;
  for (let pause = FIRST_PAUSE_MS; !(await condition()); pause *= GROWTH) {
    if (clock() > deadline) throw new Error(`after ${seconds} s still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, LONGEST_PAUSE_MS)));
  }
}

/** A zombie counts as ended: it may have no parent to reap it. */
export function living(pids: Iterable<number | undefined>): number[] {
  const running = new Set(listProcesses().map(({ pid }) => pid));
  return [...pids].filter((pid): pid is number => pid !== undefined && running.has(pid));
}

/**
 * Does the work while the process is stopped, however long it takes: the process sees all of it at
 * once.
 */
export async function unseenBy(
  process: { signal(name: NodeJS.Signals): void },
  change: () => Promise<unknown>,
): Promise<void> {
  process.signal('SIGSTOP');
  await change().finally(() => process.signal('SIGCONT'));
}
