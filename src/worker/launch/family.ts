// Is anything of what a stream has started still alive, and how is it reached? By its process group, and by a mark in the environment.
import { readdirSync, readFileSync } from 'node:fs';

/** In the environment of every process of one start, whatever group or session it moves to: only who clears the environment loses it. */
export const RUN_VARIABLE = 'SWARM_RUN';

/** All processes of one start of a stream. */
export type Family = { readonly group: number; readonly run: string };

export type Families = {
  readonly signal: (family: Family, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** To be asked when the first process of the family has been seen to end. */
  readonly ended: (family: Family) => Promise<void>;
  /** The last resort, done when it returns. */
  readonly killNow: (families: readonly Family[]) => void;
};

const firstLookMs = 10;
const slowestLookMs = 200;

/** One look at all processes serves all families: a thousand streams that stop together must not mean a thousand looks. */
export function createFamilies(): Families {
  const lingering = new Map<Family, () => void>();
  const toSignal = new Map<Family, 'SIGTERM' | 'SIGKILL'>();
  const killed = new WeakSet<Family>();
  let timer: NodeJS.Timeout | undefined;
  let isAboutToSignal = false;

  function signalStrays(): void {
    isAboutToSignal = false;
    const strays = strayPids([...toSignal.keys()]);
    for (const [family, signal] of toSignal) signalAll(strays.get(family) ?? [], signal);
    toSignal.clear();
  }

  function lookAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const alive = membersOf([...lingering.keys()]);
      for (const [family, resolve] of lingering) {
        const pids = alive.get(family);
        // Who was started while the others were killed has not heard of it.
        if (killed.has(family)) signalAll(pids ?? [], 'SIGKILL');
        if (pids !== undefined) continue;
        lingering.delete(family);
        resolve();
      }
      if (lingering.size > 0) lookAfter(Math.min(Math.max(ms, firstLookMs / 2) * 2, slowestLookMs));
    }, ms);
  }

  return {
    signal: (family, signal) => {
      signalGroup(family.group, signal);
      if (signal === 'SIGKILL') killed.add(family);
      toSignal.set(family, signal);
      if (!isAboutToSignal) setImmediate(signalStrays);
      isAboutToSignal = true;
    },
    ended: (family) =>
      new Promise((resolve) => {
        lingering.set(family, resolve);
        lookAfter(0);
      }),
    killNow: (families) => {
      for (const { group } of families) signalGroup(group, 'SIGKILL');
      for (const pids of strayPids(families).values()) signalAll(pids, 'SIGKILL');
    },
  };
}

/** Processes that left their group, by family. */
const strayPids = (families: readonly Family[]): ReadonlyMap<Family, readonly number[]> =>
  byFamily(families, (family, { group }) => group !== family.group);
const membersOf = (families: readonly Family[]): ReadonlyMap<Family, readonly number[]> => byFamily(families, () => true);

function byFamily(families: readonly Family[], isMeant: (family: Family, process: Living) => boolean): Map<Family, readonly number[]> {
  const found = new Map<Family, number[]>();
  if (families.length === 0) return found;
  const byGroup = new Map(families.map((family) => [family.group, family]));
  const byRun = new Map(families.map((family) => [family.run, family]));
  const living = livingProcesses();
  // Not Linux: there, what answers is taken for alive, and who leaves the group is lost.
  if (living === undefined) return new Map(families.filter(({ group }) => isThere(group)).map((family) => [family, []]));
  for (const process of living) {
    const family = byGroup.get(process.group) ?? byRun.get(runOf(process.pid) ?? '');
    if (family === undefined || !isMeant(family, process)) continue;
    found.set(family, [...(found.get(family) ?? []), process.pid]);
  }
  return found;
}

type Living = { readonly pid: number; readonly group: number };

/** Undefined where there is no /proc. */
function livingProcesses(): readonly Living[] | undefined {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (living(Number(name)) ?? []) : []));
  } catch {
    return undefined;
  }
}

/**
 * An orphan that has ended stays in its group until process 1 collects it. As process 1 of a container, without an init, Node never does:
 * such a group would look alive for ever. So zombies do not count.
 */
function living(pid: number): Living | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in parentheses before these, and may itself contain parentheses and blanks.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { pid, group: Number(group) };
  } catch {
    return undefined;
  }
}

const mark = `\0${RUN_VARIABLE}=`;

/** Undefined also for what belongs to another user: its environment is not ours to read. */
function runOf(pid: number): string | undefined {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const at = environment.indexOf(mark);
    return at < 0 ? undefined : environment.slice(at + mark.length).split('\0', 1)[0];
  } catch {
    return undefined;
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalAll([-group], signal);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or it is another user's (a command may be setuid): the next look says which.
    }
  }
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
