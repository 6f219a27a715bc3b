// Which of these jobs have to end so that the missing amounts are free? The fewest that are enough;
// among equally few, the jobs that come first.

/** The amounts that each job holds of the missing resources, by key. All amounts are above 0. */
type Held = { readonly holds: ReadonlyMap<string, bigint> };
type Lacking = ReadonlyMap<string, bigint>;

/**
 * `jobs` starts with the jobs that are to end first. Undefined: all of them together are not
 * enough.
 */
export function fewest<Job extends Held>(
  jobs: readonly Job[],
  lacking: Lacking,
): readonly Job[] | undefined {
  const first = enoughOf(jobs, lacking);
  if (first === undefined || first.length < 2) return first;
  const bySize = jobs
    .map((job) => ({ job, size: sizeOf(job, lacking) }))
    .sort((a, b) => b.size - a.size)
    .map(({ job }) => job);
  const largest = enoughOf(bySize, lacking) ?? first;
  return largest.length < first.length ? exchanged(largest, jobs, lacking) : first;
}

/** Takes jobs in this order, and drops those that turn out to be unnecessary. */
function enoughOf<Job extends Held>(
  jobs: readonly Job[],
  lacking: Lacking,
): readonly Job[] | undefined {
  const left = new Map(lacking);
  const picked: Job[] = [];
  for (const job of jobs) {
    if (left.size === 0) break;
    if (![...left.keys()].some((key) => job.holds.has(key))) continue;
    picked.push(job);
    for (const [key, amount] of left) {
      const rest = amount - (job.holds.get(key) ?? 0n);
      if (rest > 0n) left.set(key, rest);
      else left.delete(key);
    }
  }
  if (left.size > 0) return undefined;
  // Spares the jobs first that are to end last.
  return picked.reduceRight((all, job) => {
    const others = all.filter((it) => it !== job);
    return isEnough(others, lacking) ? others : all;
  }, picked);
}

/** Replaces each job by the first other job with which the amounts are enough, too. */
function exchanged<Job extends Held>(
  picked: readonly Job[],
  jobs: readonly Job[],
  lacking: Lacking,
): readonly Job[] {
  return picked.reduce((all, job) => {
    const others = all.filter((it) => it !== job);
    const earlier = jobs.slice(0, jobs.indexOf(job)).filter((it) => !others.includes(it));
    const instead = earlier.find((it) => isEnough([...others, it], lacking));
    return instead === undefined ? all : [...others, instead];
  }, picked);
}

const isEnough = (jobs: readonly Held[], lacking: Lacking): boolean =>
  [...lacking].every(
    ([key, amount]) => jobs.reduce((sum, { holds }) => sum + (holds.get(key) ?? 0n), 0n) >= amount,
  );

/** The share that the job holds of all missing amounts; 1 for all of one resource. */
const sizeOf = ({ holds }: Held, lacking: Lacking): number =>
  [...lacking].reduce((sum, [key, amount]) => {
    const held = holds.get(key) ?? 0n;
    return sum + (held >= amount ? 1 : Number(held) / Number(amount));
  }, 0);
