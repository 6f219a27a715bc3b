// Which processes are there of some families? Looked up in /proc, with as little reading as that
// takes: on some machines there are thousands.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * In the environment of every process of one start, whatever group or session it moves to: only who
 * clears the environment loses it.
 */
export const RUN_VARIABLE = 'SWARM_RUN';

/** All processes of one start of a stream. */
export type ProcessFamily = {
  readonly group: number;
  readonly run: string;
  /** When its first process began, in ticks since the machine did: nobody older is of it. */
  readonly born: number;
};

export type FamilyMember = {
  readonly family: ProcessFamily;
  readonly pid: number;
  readonly group: number;
};

/** What was found out about somebody else's process; its number may soon be another's. */
type Stranger = { readonly until: number; readonly born: number; readonly run?: string };

const STRANGER_MS = 1_000;
/**
 * While a process becomes another program it has no environment for a moment; who has none after
 * this time has cleared it.
 */
const BLANK_MS = 100;

export class Census {
  readonly #strangers = new Map<number, Stranger>();
  /** Whoever was seen without an environment: since when, and when it was born. */
  readonly #blanks = new Map<number, { readonly since: number; readonly born: number }>();
  #isUnsure = false;

  /** At the last look there was somebody of whom nothing could be told yet. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** Undefined where there is no /proc. */
  membersOf(families: readonly ProcessFamily[]): readonly FamilyMember[] | undefined {
    if (families.length === 0) return [];
    const now = performance.now();
    for (const [pid, { until }] of this.#strangers) if (until < now) this.#strangers.delete(pid);
    const byGroup = new Map(families.map((family) => [family.group, family]));
    const byRun = new Map(families.map((family) => [family.run, family]));
    const eldest = Math.min(...families.map(({ born }) => born));
    const isStranger = ({ born, run }: Stranger): boolean =>
      born < eldest || (run !== undefined && !byRun.has(run));
    const pids = pidsThere();
    for (const pid of this.#blanks.keys())
      if (pids?.includes(pid) !== true) this.#blanks.delete(pid);
    this.#isUnsure = false;
    return pids?.flatMap((pid) => {
      const known = this.#strangers.get(pid);
      if (known !== undefined && isStranger(known)) return [];
      const found = living(pid);
      if (found === undefined) return [];
      const { group, born } = found;
      const ofGroup = byGroup.get(group);
      if (ofGroup !== undefined) return [{ family: ofGroup, pid, group }];
      const run = born < eldest ? undefined : (runOf(pid) ?? '');
      const family = byRun.get(run ?? '');
      if (family !== undefined) return [{ family, pid, group }];
      if (run === BLANK && this.#isRecentlyBlank(pid, born, now)) {
        this.#isUnsure = true;
        return [];
      }
      this.#strangers.set(pid, {
        until: now + STRANGER_MS,
        born,
        ...(run !== undefined && { run }),
      });
      return [];
    });
  }

  #isRecentlyBlank(pid: number, born: number, now: number): boolean {
    const known = this.#blanks.get(pid);
    if (known?.born === born) return now - known.since < BLANK_MS;
    this.#blanks.set(pid, { since: now, born });
    return true;
  }
}

/** 0 where nobody can tell: then everybody may be of the family. */
export const bornOf = (pid: number): number => living(pid)?.born ?? 0;

function pidsThere(): readonly number[] | undefined {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return undefined;
  }
}

type Living = { readonly group: number; readonly born: number };

/**
 * An orphan that has ended stays in its group until process 1 collects it. As process 1 of a
 * container, without an init, Node never does: such a group would look alive for ever. So zombies
 * do not count.
 */
function living(pid: number): Living | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in parentheses before these, and may itself contain parentheses and
    // blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group] = fields;
    return state === 'Z' || state === 'X'
      ? undefined
      : { group: Number(group), born: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

const BLANK = 'blank';
const mark = `\0${RUN_VARIABLE}=`;

/**
 * Undefined without a mark; also for what belongs to another user: its environment is not ours to
 * read.
 */
function runOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (text === '') return BLANK;
    const environment = `\0${text}`;
    const at = environment.indexOf(mark);
    return at < 0 ? undefined : environment.slice(at + mark.length).split('\0', 1)[0];
  } catch {
    return undefined;
  }
}
