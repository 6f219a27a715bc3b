// Is anything of what a stream has started still alive, and how is it reached? By its process
// group, and by a mark in the environment.
import { errorCode } from '../../api/error-text.ts';
import { Census, type FamilyMember, type ProcessFamily } from './find-processes.ts';

export type Families = {
  readonly signal: (family: ProcessFamily, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** To be asked when the first process of the family has been seen to end. */
  readonly ended: (family: ProcessFamily) => Promise<void>;
  /** The last resort, done when it returns. */
  readonly killNow: (families: readonly ProcessFamily[]) => void;
};

const firstLookMs = 10;
const slowestLookMs = 200;

/**
 * One look at all processes serves all families: a thousand streams that stop together must not
 * mean a thousand looks.
 */
export function createFamilies(): Families {
  const census = new Census();
  const lingering = new Map<ProcessFamily, () => void>();
  const toSignal = new Map<ProcessFamily, 'SIGTERM' | 'SIGKILL'>();
  const killed = new WeakSet<ProcessFamily>();
  let timer: NodeJS.Timeout | undefined;
  let isAboutToSignal = false;

  const membersOf = (
    families: readonly ProcessFamily[],
  ): ReadonlyMap<ProcessFamily, readonly number[]> => pidsBy(families, census.membersOf(families));
  /** Who left the group. */
  const strayPids = (
    families: readonly ProcessFamily[],
  ): ReadonlyMap<ProcessFamily, readonly number[]> =>
    pidsBy(
      families,
      census.membersOf(families)?.filter(({ family, group }) => group !== family.group),
    );

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
        if (pids !== undefined || census.isUnsure) continue;
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

/**
 * By family. Not Linux: there, what answers is taken for alive, and who leaves the group is lost.
 */
function pidsBy(
  families: readonly ProcessFamily[],
  members: readonly FamilyMember[] | undefined,
): ReadonlyMap<ProcessFamily, readonly number[]> {
  if (members === undefined)
    return new Map(families.filter(({ group }) => isThere(group)).map((family) => [family, []]));
  const pids = new Map<ProcessFamily, number[]>();
  for (const { family, pid } of members) pids.set(family, [...(pids.get(family) ?? []), pid]);
  return pids;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  signalAll([-group], signal);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or it is another user's (a command may be setuid): the next look
      // says which.
    }
  }
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
