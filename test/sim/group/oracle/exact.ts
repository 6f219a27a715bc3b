// How many replicas are ratio x size? By the decimal text, in whole numbers of any length.

/** Rounded up: "1.5" at 3 is 45 tenths, so 5. */
export function timesUp(factor: unknown, size: number): number {
  // Most are: they need no large numbers.
  if (Number.isSafeInteger(factor)) return Number(factor) * size;
  const [whole = '0', decimals = ''] = String(factor).split('.');
  const unit = 10n ** BigInt(decimals.length);
  const product = BigInt(whole + decimals) * BigInt(size);
  return Number((product + unit - 1n) / unit);
}

export type Bounds = { readonly least: number; readonly most: number };

export const within = ({ least, most }: Bounds, count: number): number =>
  Math.min(most, Math.max(least, count));
