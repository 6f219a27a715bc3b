// Is anything of a process group still alive, and how is it reached?
import { readdirSync, readFileSync } from 'node:fs';

/** The answer tells whether there was anything to receive it. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // EPERM: it is there, under another user (a command may be setuid).
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const firstPollMs = 10;
const slowestPollMs = 200;

/** Whose first process has ended, while others linger: group and what waits for its end. One loop looks after all of them. */
const lingering = new Map<number, () => void>();
let polling: NodeJS.Timeout | undefined;

/** To be asked when the first process of the group has been seen to end. */
export function groupEnded(group: number): Promise<void> {
  if (!signalGroup(group, 0)) return Promise.resolve();
  return new Promise((resolve) => {
    lingering.set(group, resolve);
    poll(firstPollMs);
  });
}

function poll(afterMs: number): void {
  clearTimeout(polling);
  polling = setTimeout(() => {
    const alive = groupsAlive([...lingering.keys()]);
    for (const [group, resolve] of lingering) {
      if (alive.has(group)) continue;
      lingering.delete(group);
      resolve();
    }
    if (lingering.size > 0) poll(Math.min(afterMs * 2, slowestPollMs));
  }, afterMs);
}

/**
 * An orphan that has ended stays in its group until process 1 collects it. As process 1 of a container, without an init, Node never does:
 * such a group would look alive for ever. So zombies do not count.
 */
function groupsAlive(groups: readonly number[]): ReadonlySet<number> {
  const answering = groups.filter((group) => signalGroup(group, 0));
  if (answering.length === 0) return new Set();
  let pids: readonly string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    // Not Linux: there, what answers is taken for alive.
    return new Set(answering);
  }
  return new Set(pids.map(livingGroupOf).filter((group) => group !== undefined));
}

function livingGroupOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in parentheses before these, and may itself contain parentheses and blanks.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : Number(group);
  } catch {
    return undefined;
  }
}
