// How much processor time have processes used so far? Unlike elapsed time, it does not depend on
// the load of the machine.
import { readFileSync } from 'node:fs';

/** The length of a clock tick in the kernel's interface. */
const TICK_MS = 10;

/**
 * Seconds, of these processes and of the children that they have waited for; a process that is gone
 * counts as zero.
 */
export function processorSeconds(pids: Iterable<number>): number {
  let ms = 0;
  for (const pid of pids) ms += ticksOf(pid) * TICK_MS;
  return ms / 1000;
}

function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything. Then: user, system, children's user,
    // children's system.
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
