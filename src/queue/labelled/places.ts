// Which place in its queue does a Job of a CronJob have? With concurrencyPolicy Replace, each run
// deletes the run that waits: the new Job takes over its place, or no run would ever come first.
import type { Claim } from '../jobs.ts';
import type { CronJobPlace, Places } from '../world.ts';
import type { PlainJobs } from './plain-jobs.ts';

/** The CronJob controller creates the next Job right after it has deleted the last one. */
const KEPT_MS = 60_000;

/** `isIn` contains the UIDs of admitted Jobs. */
export function placesAfter(
  known: Places,
  claims: readonly Claim[],
  { plain, isIn, monotonicMs }: Around,
): Places {
  const cronJobOf = ({ uid }: Claim): string => plain.get(uid)?.cronJob?.uid ?? '';
  const waiting = Map.groupBy(claims, cronJobOf);
  const cronJobs = new Set([...known.keys(), ...waiting.keys()]);
  return new Map(
    [...cronJobs].filter(Boolean).flatMap((uid) => {
      const before = known.get(uid) ?? [];
      const places = placesOf(before, waiting.get(uid) ?? [], { isIn, monotonicMs });
      return places.length === 0 ? [] : [[uid, places] as const];
    }),
  );
}

type Around = {
  readonly plain: PlainJobs;
  readonly isIn: ReadonlySet<string>;
  readonly monotonicMs: number;
};

function placesOf(
  known: readonly CronJobPlace[],
  claims: readonly Claim[],
  { isIn, monotonicMs }: Omit<Around, 'plain'>,
): readonly CronJobPlace[] {
  const waits = new Set(claims.map(({ uid }) => uid));
  const free = known
    .filter(({ uid }) => !waits.has(uid) && !isIn.has(uid))
    .map((it) => ({ ...it, freeSinceMs: it.freeSinceMs ?? monotonicMs }))
    .filter(({ freeSinceMs }) => monotonicMs - freeSinceMs < KEPT_MS)
    .sort((a, b) => a.ms - b.ms);
  const has = new Map(known.map((it) => [it.uid, it]));
  const taken = claims
    .toSorted((a, b) => a.createdMs - b.createdMs)
    .map(({ uid, createdMs }): CronJobPlace => {
      const own = has.get(uid);
      if (own !== undefined) return { uid, ms: own.ms };
      return { uid, ms: Math.min(createdMs, free.shift()?.ms ?? createdMs) };
    });
  return [...taken, ...free];
}

/** A Job that was queued again gets no earlier place. */
export function inPlaces(
  claims: readonly Claim[],
  plain: PlainJobs,
  places: Places,
): readonly Claim[] {
  if (places.size === 0) return claims;
  const msOf = new Map([...places.values()].flat().map(({ uid, ms }) => [uid, ms]));
  return claims.map((claim) => {
    const ms = msOf.get(claim.uid) ?? claim.createdMs;
    const isEarlier = ms < claim.createdMs && plain.get(claim.uid)?.queuedAgainMs === undefined;
    return isEarlier ? { ...claim, createdMs: ms } : claim;
  });
}
