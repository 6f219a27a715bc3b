// Does a value grow with time? The best straight line through its samples, and how reliable its
// slope is.

export type Slope = {
  readonly perHour: number;
  /** The error in nineteen of twenty cases, from the spread of the samples. */
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
