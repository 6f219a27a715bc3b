// Which processes belong to which tree? They are found in /proc by their process group, and by a
// mark in their environment; with as little reading as possible, since some machines have
// thousands.
import { readdirSync, readFileSync } from 'node:fs';
import { orUndefined } from '../../api/text.ts';

/**
 * In the environment of all processes of one start, whatever group or session they move to. A
 * process loses it only by clearing its environment.
 */
export const RUN_VARIABLE = 'SWARM_RUN';

/** All processes of one start of a stream. */
export type ProcessTree = {
  readonly group: number;
  readonly run: string;
  /** In ticks since boot: an older process belongs to no tree of this start. */
  readonly startedAt: number;
};

export type TreeProcess = {
  readonly tree: ProcessTree;
  readonly pid: number;
  readonly group: number;
};

/** A process that belongs to no tree, until its number may have been reused. */
type Unrelated = { readonly until: number; readonly startedAt: number; readonly run?: string };

const UNRELATED_MS = 1_000;
/**
 * During exec a process has no environment; a process without one after this time has cleared it.
 */
const EMPTY_MS = 100;

export class ProcessFinder {
  readonly #unrelated = new Map<number, Unrelated>();
  /** Processes without an environment: the time since then, and their start times. */
  readonly #emptySince = new Map<number, { readonly since: number; readonly startedAt: number }>();
  #isUnsure = false;

  /** The last call found a process that may still turn out to belong to a tree. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** Undefined: there is no /proc. */
  processesOf(trees: readonly ProcessTree[]): readonly TreeProcess[] | undefined {
    if (trees.length === 0) return [];
    const now = performance.now();
    for (const [pid, { until }] of this.#unrelated) if (until < now) this.#unrelated.delete(pid);
    const byGroup = new Map(trees.map((tree) => [tree.group, tree]));
    const byRun = new Map(trees.map((tree) => [tree.run, tree]));
    const earliest = Math.min(...trees.map(({ startedAt }) => startedAt));
    const isUnrelated = ({ startedAt, run }: Unrelated): boolean =>
      startedAt < earliest || (run !== undefined && !byRun.has(run));
    const pids = allPids();
    for (const pid of this.#emptySince.keys())
      if (pids?.includes(pid) !== true) this.#emptySince.delete(pid);
    this.#isUnsure = false;
    return pids?.flatMap((pid) => {
      const known = this.#unrelated.get(pid);
      if (known !== undefined && isUnrelated(known)) return [];
      const found = readStat(pid);
      if (found === undefined) return [];
      const { group, startedAt } = found;
      const ofGroup = byGroup.get(group);
      if (ofGroup !== undefined) return [{ tree: ofGroup, pid, group }];
      const run = startedAt < earliest ? undefined : (runOf(pid) ?? '');
      const tree = byRun.get(run ?? '');
      if (tree !== undefined) return [{ tree, pid, group }];
      if (run === EMPTY && this.#isRecentlyEmpty(pid, startedAt, now)) {
        this.#isUnsure = true;
        return [];
      }
      this.#unrelated.set(pid, {
        until: now + UNRELATED_MS,
        startedAt,
        ...(run !== undefined && { run }),
      });
      return [];
    });
  }

  #isRecentlyEmpty(pid: number, startedAt: number, now: number): boolean {
    const known = this.#emptySince.get(pid);
    if (known?.startedAt === startedAt) return now - known.since < EMPTY_MS;
    this.#emptySince.set(pid, { since: now, startedAt });
    return true;
  }
}

/** 0 if it is not known: then any process may belong to the tree. */
export const startTimeOf = (pid: number): number => readStat(pid)?.startedAt ?? 0;

const allPids = (): readonly number[] | undefined =>
  orUndefined(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)))?.map(Number);

type ProcessStat = { readonly group: number; readonly startedAt: number };

/**
 * Undefined for a zombie. An ended orphan stays in its group until process 1 collects it, and Node
 * as process 1 of a container never does: the group would look alive for ever.
 */
function readStat(pid: number): ProcessStat | undefined {
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === undefined) return undefined;
  // The program's name comes first, in parentheses, and may contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group] = fields;
  return state === 'Z' || state === 'X'
    ? undefined
    : { group: Number(group), startedAt: Number(fields[19]) };
}

const EMPTY = 'empty';
const mark = `\0${RUN_VARIABLE}=`;

/** Undefined without a mark, and for a process of another user, whose environment is unreadable. */
function runOf(pid: number): string | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/environ`, 'latin1'));
  if (text === '') return EMPTY;
  return text === undefined ? undefined : `\0${text}`.split(mark, 2)[1]?.split('\0', 1)[0];
}
