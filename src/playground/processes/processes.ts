// The processes of this machine, and how a family of them is ended.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The process group: the pid of its leader, also after the leader's end. */
  readonly group: number;
}

/** A process that survives SIGKILL for longer sleeps uninterruptibly. */
const killMilliseconds = 2_000;
const pollMilliseconds = 30;

/**
 * Sends SIGTERM to the groups that these pids lead and, after the grace period, SIGKILL to what is
 * left of them and of their descendants, which may be in groups of their own.
 */
export async function endProcesses(
  roots: Iterable<number>,
  graceMilliseconds: number,
): Promise<void> {
  const known = new Set(roots);
  const termAt = performance.now();
  let killedAt: number | undefined;
  // Before the first signal: an orphan has lost its parent.
  let living = familyOf(known, listProcesses());
  for (const pid of [...known]) signalIfThere(-pid, 'SIGTERM');
  while (living.length > 0) {
    for (const { pid } of living) known.add(pid);
    const now = performance.now();
    if (killedAt !== undefined && now - killedAt > killMilliseconds) return;
    if (now - termAt >= graceMilliseconds) {
      // Not from when it was due: this process may have been stalled.
      killedAt ??= now;
      for (const { pid } of living) signalIfThere(pid, 'SIGKILL');
    }
    await delay(pollMilliseconds);
    living = familyOf(known, listProcesses());
  }
}

/** The processes whose pid or group is among the roots, their descendants, and what these lead. */
export function familyOf(
  roots: ReadonlySet<number>,
  processes: readonly ProcessEntry[],
): ProcessEntry[] {
  const family = new Map<number, ProcessEntry>();
  const belongs = ({ pid, parent, group }: ProcessEntry): boolean =>
    roots.has(pid) || roots.has(group) || family.has(parent) || family.has(group);
  for (let before = -1; before < family.size; ) {
    before = family.size;
    for (const entry of processes) if (belongs(entry)) family.set(entry.pid, entry);
  }
  return [...family.values()];
}

/** Without zombies. */
export function listProcesses(): ProcessEntry[] {
  const rows = process.platform === 'linux' ? rowsOfProc() : rowsOfPs();
  return rows
    .filter(([, , , state = 'X']) => !/^[ZX]/.test(state))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
    }));
}

/** Pid, parent, group and state. */
type Row = readonly (string | undefined)[];

const rowsOfProc = (): readonly Row[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The command before the last bracket may have spaces and brackets.
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [pid, parent, group, state];
      } catch {
        return []; // It ended while being read.
      }
    });

const rowsOfPs = (): readonly Row[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

/** Its program and arguments, joined by spaces; empty when it has ended. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1).join(' ');
    return execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

export function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
