// What of a ResourceQuota do others than jobs hold, such as the pods of a Deployment? It tells a
// moment later than the watch of pods that pods were made or have ended, or a moment earlier: until
// then their part looks like that of others. So more or less than before counts only when it has
// lasted.
import { type Amounts, amountOf } from '../../core/amounts.ts';
import type { OfOthers, ResourceQuota } from '../world.ts';
import { COUNTED_WITHIN_MS } from './resource-quotas.ts';

export type Taken = Omit<ResourceQuota, 'ofOthers'> & {
  /** What of both is of jobs. */
  readonly ofJobs: Amounts;
  /** What is of pods of jobs that live, as far as the watch shows. */
  readonly ofPods: Amounts;
};

/** By ResourceQuota and resource, as `keyOf` says. */
export const ofOthersAfter = (
  known: ReadonlyMap<string, OfOthers>,
  quotas: readonly Taken[],
  monotonicMs: number,
): ReadonlyMap<string, OfOthers> =>
  new Map(
    quotas.flatMap(({ name, used, promised, ofJobs }) =>
      [...used.keys()].map((resource) => {
        const key = keyOf(name, resource);
        const least = amountOf(used, resource) - amountOf(ofJobs, resource);
        // What is promised may be used already.
        const most = least + amountOf(promised, resource);
        return [key, lasting(known.get(key), { least, most }, monotonicMs)] as const;
      }),
    ),
  );

export const withOthers = (
  { name, hard, used, promised, ofPods }: Taken,
  known: ReadonlyMap<string, OfOthers>,
): ResourceQuota => {
  const ofOthers = new Map(
    [...hard.keys()].map((it) => [it, known.get(keyOf(name, it))?.amount ?? 0n]),
  );
  const atLeast = (it: string): bigint => amountOf(ofPods, it) + amountOf(ofOthers, it);
  return {
    ...{ name, hard, promised, ofOthers },
    used: new Map([...hard.keys()].map((it) => [it, larger(amountOf(used, it), atLeast(it))])),
  };
};

const keyOf = (quota: string, resource: string): string => `${quota}/${resource}`;

type Seen = { readonly least: bigint; readonly most: bigint };

function lasting(known: OfOthers = { amount: 0n }, seen: Seen, nowMs: number): OfOthers {
  if (seen.least > known.amount) return grown(known, seen.least, nowMs);
  const most = larger(seen.most, 0n);
  return most < known.amount ? shrunk(known, most, nowMs) : { amount: known.amount };
}

function grown({ amount, more }: OfOthers, seen: bigint, nowMs: number): OfOthers {
  const least = more === undefined || seen < more.least ? seen : more.least;
  const sinceMs = more?.sinceMs ?? nowMs;
  if (nowMs - sinceMs < COUNTED_WITHIN_MS) return { amount, more: { least, sinceMs } };
  if (seen === least) return { amount: least };
  return { amount: least, more: { least: seen, sinceMs: nowMs } };
}

function shrunk({ amount, less }: OfOthers, seen: bigint, nowMs: number): OfOthers {
  const most = less === undefined ? seen : larger(seen, less.most);
  const sinceMs = less?.sinceMs ?? nowMs;
  if (nowMs - sinceMs < COUNTED_WITHIN_MS) return { amount, less: { most, sinceMs } };
  if (seen === most) return { amount: most };
  return { amount: most, less: { most: seen, sinceMs: nowMs } };
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** When the next of them has lasted; undefined: none has to. */
export function lastedInMs(
  held: ReadonlyMap<string, OfOthers>,
  monotonicMs: number,
): number | undefined {
  const since = [...held.values()].flatMap(({ more, less }) => (more ?? less)?.sinceMs ?? []);
  const waits = since.map((ms) => Math.max(1, ms + COUNTED_WITHIN_MS - monotonicMs));
  return waits.length === 0 ? undefined : Math.min(...waits);
}
