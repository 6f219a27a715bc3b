// How much of a ResourceQuota do objects other than jobs use, such as the pods of a Deployment? The
// quota shows new and ended pods a moment later or earlier than the watch of pods does: meanwhile,
// pods of jobs look like pods of others. So a larger or smaller usage by others counts only when it
// has lasted.
import { type Amounts, amountOf } from '../../core/amounts.ts';
import type { OfOthers, ResourceQuota } from '../world.ts';
import { COUNTED_WITHIN_MS } from './resource-quotas.ts';

export type Taken = Omit<ResourceQuota, 'ofOthers'> & {
  /** The part of `used` and `promised` that belongs to jobs. */
  readonly ofJobs: Amounts;
  /** The usage of the jobs' pods that have not ended, as far as the watch shows. */
  readonly ofPods: Amounts;
};

/** By ResourceQuota and resource, with the keys of `keyOf`. */
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
        // The promised amount may be in use already.
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

/** The time until the next change has lasted long enough; undefined: there is none. */
export function lastedInMs(
  held: ReadonlyMap<string, OfOthers>,
  monotonicMs: number,
): number | undefined {
  const since = [...held.values()].flatMap(({ more, less }) => (more ?? less)?.sinceMs ?? []);
  const waits = since.map((ms) => Math.max(1, ms + COUNTED_WITHIN_MS - monotonicMs));
  return waits.length === 0 ? undefined : Math.min(...waits);
}
