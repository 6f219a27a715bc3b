// Does a figure grow with time? The straight line that fits it best, and how far its slope can be
// trusted.

export type Slope = {
  readonly perHour: number;
  /** So far off may it be, in nineteen of twenty cases, by the spread of the samples alone. */
  readonly error: number;
  readonly mean: number;
};

/** Least squares over [hours, value]. */
export function slopeOf(samples: readonly (readonly [number, number])[]): Slope {
  const count = samples.length;
  const meanOf = (pick: (sample: readonly [number, number]) => number): number =>
    samples.reduce((sum, it) => sum + pick(it), 0) / count;
  const middle = meanOf(([hours]) => hours);
  const mean = meanOf(([, value]) => value);
  const spread = samples.reduce((sum, [hours]) => sum + (hours - middle) ** 2, 0);
  const perHour =
    samples.reduce((sum, [hours, value]) => sum + (hours - middle) * (value - mean), 0) / spread;
  const residual = samples.reduce(
    (sum, [hours, value]) => sum + (value - mean - perHour * (hours - middle)) ** 2,
    0,
  );
  return { perHour, mean, error: 2 * Math.sqrt(residual / Math.max(1, count - 2) / spread) };
}
