// How much processor time have processes used so far? What a busy machine does not change, unlike
// the time on the wall.
import { readFileSync } from 'node:fs';

/** Of a clock tick, as the kernel tells it to programs. */
const TICK_MS = 10;

/**
 * Seconds, their own and of the children they have waited for; a process that is gone counts for
 * nothing.
 */
export function processorSeconds(pids: Iterable<number>): number {
  let ms = 0;
  for (const pid of pids) ms += ticksOf(pid) * TICK_MS;
  return ms / 1000;
}

function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything. Then: user, system, children's user, children's
    // system.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0;
  }
}

export function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1024;
}
