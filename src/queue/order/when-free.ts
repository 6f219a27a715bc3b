// When is enough free for a job, at the latest, if each job in use ends at its latest time?
import type { Demand } from './free-quota.ts';

/** Milliseconds from now, or a sentence that says why the time is not known. */
export type Until = { readonly ms: number } | { readonly unknown: string };

/** Resources that a job occupies or will occupy, and the latest time at which it frees them. */
export type Holding = { readonly holds: readonly Demand[]; readonly until: Until };

/** Free amounts by bound and resource. Negative: more is taken than exists. */
type Free = ReadonlyMap<string, bigint>;

/** `free` is the quota that is not in use now. The result is never before `fromMs`. */
export function whenFree(
  demands: readonly Demand[],
  free: Free,
  holdings: readonly Holding[],
  fromMs: number,
): Until {
  const left = new Map(demands.map(({ key, amount }) => [key, (free.get(key) ?? 0n) - amount]));
  const lacking = (): Demand | undefined => demands.find(({ key }) => (left.get(key) ?? 0n) < 0n);
  let ms = fromMs;
  for (const { holds, endMs } of endsOf(holdings)) {
    if (endMs > ms) {
      if (lacking() === undefined) return { ms };
      ms = endMs;
    }
    for (const { key, amount } of holds) {
      const before = left.get(key);
      if (before !== undefined) left.set(key, before + amount);
    }
  }
  const lack = lacking();
  return lack === undefined ? { ms } : whyNever(lack, holdings);
}

const endsOf = (holdings: readonly Holding[]) =>
  holdings
    .flatMap(({ holds, until }) => ('ms' in until ? [{ holds, endMs: until.ms }] : []))
    .sort((a, b) => a.endMs - b.endMs);

function whyNever({ key, bound, resource }: Demand, holdings: readonly Holding[]): Until {
  for (const { holds, until } of holdings)
    if ('unknown' in until && holds.some((it) => it.key === key)) return until;
  return { unknown: `no job that ends gives back enough ${resource} of ${bound}` };
}
