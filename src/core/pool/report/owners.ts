// Which streams does nobody run, and which do two? By what workers say themselves.
import type { Slice } from '../../../api/assignment.ts';
import type { Member } from '../members.ts';
import { runsJust } from '../refresh/convergence.ts';

export type Ownership = {
  /** Published, and no worker says that it runs them. */
  readonly unowned: ReadonlySet<string>;
  /** More than one says so. */
  readonly doubled: ReadonlySet<string>;
};

/**
 * Mostly all workers run just what they were given, and then their lists need not be looked at. Answers are not of one moment: a stream
 * that moves may be told by its new worker before its old one is asked again.
 */
export function ownershipOf(members: readonly Member[], published: ReadonlyMap<string, Slice>): Ownership {
  const settled: Slice[] = [];
  const lists: (readonly string[])[] = [];
  const wanted = new Set<string>();
  const known = new Set(members.map(({ from }) => from));
  for (const [worker, { jobs }] of published) if (!known.has(worker)) for (const job of jobs) wanted.add(job);
  for (const member of members) {
    const { before, answer } = member;
    if (before !== undefined && answer?.ok === true && answer.report.jobs !== undefined && runsJust(answer.report, before)) {
      settled.push(before);
      continue;
    }
    for (const job of [...(before?.jobs ?? []), ...(before?.releasing ?? [])]) wanted.add(job);
    lists.push(toldBy(member));
  }
  const told = new Set<string>();
  const doubled = new Set<string>();
  for (const list of lists) {
    for (const job of new Set(list)) {
      if (told.has(job)) doubled.add(job);
      told.add(job);
      wanted.delete(job);
    }
  }
  if (told.size > 0 || wanted.size > 0) {
    for (const { jobs } of settled) {
      for (const job of jobs) {
        if (told.has(job)) doubled.add(job);
        wanted.delete(job);
      }
    }
  }
  return { unowned: wanted, doubled };
}

/** One that cannot tell, or was not asked yet (another led until now), is taken to run what it was given as long as it is Ready. */
function toldBy({ pod, answer, before }: Member): readonly string[] {
  if (answer?.ok === false) return [];
  if (answer?.ok === true) return answer.report.jobs ?? before?.jobs ?? [];
  return pod?.isReady === true ? (before?.jobs ?? []) : [];
}
