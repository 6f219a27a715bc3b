// How long did it take, of several times? By nearest rank: each figure is a time that was measured.

type Spread = {
  readonly count: number;
  readonly p50Milliseconds?: number;
  readonly p90Milliseconds?: number;
  readonly maxMilliseconds?: number;
};

export function spreadOf(times: readonly (number | undefined)[]): Spread {
  const sorted = times.filter((time) => time !== undefined).sort((a, b) => a - b);
  const at = (part: number): number | undefined => sorted[Math.ceil(part * sorted.length) - 1];
  const [p50, p90, max] = [at(0.5), at(0.9), at(1)];
  return {
    count: sorted.length,
    ...(p50 !== undefined && { p50Milliseconds: p50 }),
    ...(p90 !== undefined && { p90Milliseconds: p90 }),
    ...(max !== undefined && { maxMilliseconds: max }),
  };
}
