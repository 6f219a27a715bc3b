// To which size may a group fall? To the highest that was proposed during the whole of the delay.
// Another leader, an edit, and a moment without a metric begin it anew.
import type { Proposals } from '../world.ts';

type Proposed = { readonly size: number; readonly generation: number };

export function withProposal(
  before: Proposals | undefined,
  { size, generation }: Proposed,
  delayMs: number,
  nowMs: number,
): Proposals {
  const known = before?.generation === generation ? before : undefined;
  const newest = known?.list.at(-1);
  const earlier = (known?.list ?? [])
    .map((it) => (it === newest ? { ...it, untilMs: nowMs } : it))
    // A later one that is as high holds the size for longer.
    .filter((it) => it.size > size && it.untilMs > nowMs - delayMs);
  return {
    generation,
    sinceMs: known?.sinceMs ?? nowMs,
    list: [...earlier, { size, untilMs: nowMs }],
  };
}

/** Undefined: it is not known for the whole of the delay. */
export function mayFallTo(
  { sinceMs, list }: Proposals,
  delayMs: number,
  nowMs: number,
): number | undefined {
  return nowMs - sinceMs < delayMs ? undefined : Math.max(...list.map(({ size }) => size));
}

/** When that may change. */
export function fallsInMs(
  { sinceMs, list }: Proposals,
  delayMs: number,
  nowMs: number,
): number | undefined {
  if (nowMs - sinceMs < delayMs) return sinceMs + delayMs - nowMs;
  const [highest, ...others] = list;
  return others.length === 0 || highest === undefined
    ? undefined
    : highest.untilMs + delayMs - nowMs;
}
