// How much is a quantity of Kubernetes, such as `250m`, `1.5Gi` or `1e3`? An exact number.

/** In billionths, the smallest unit of Kubernetes. */
type Quantity = bigint;

export const ONE: Quantity = 10n ** 9n;
/** Kubernetes caps larger quantities. */
const LARGEST = (2n ** 63n - 1n) * ONE;

const suffixes: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  '': ONE,
  ...Object.fromEntries(
    ['k', 'M', 'G', 'T', 'P', 'E'].map((it, at) => [it, ONE * 1000n ** BigInt(at + 1)]),
  ),
  ...Object.fromEntries(
    ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((it, at) => [it, ONE * 1024n ** BigInt(at + 1)]),
  ),
};

const pattern =
  /^([+-]?)(\d{0,100})(?:\.(\d{0,100}))?(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/;

/**
 * Undefined: the text is no quantity. Smaller fractions than a billionth are rounded up, as in
 * Kubernetes.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0', suffix = ''] = pattern.exec(text) ?? [];
  const unit = suffixes[suffix];
  if (sign === undefined || unit === undefined || whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction) * unit;
  const power = Number(exponent) - fraction.length;
  const amount =
    power >= 0 ? digits * 10n ** BigInt(power) : roundedUp(digits, 10n ** BigInt(-power));
  const bounded = amount > LARGEST ? LARGEST : amount;
  return sign === '-' ? -bounded : bounded;
}

const roundedUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor;

/** For numbers that are counted and shown, not compared. */
export const toNumber = (quantity: Quantity): number => Number(quantity) / Number(ONE);

const BINARY = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'] as const;
const FRACTIONS = ['', 'm', 'u', 'n'] as const;

/** The shortest exact text; bytes in powers of 1024 if that is exact. */
export function quantityText(amount: Quantity, isBytes = false): string {
  const units = [...(isBytes && amount !== 0n ? BINARY : []), ...FRACTIONS];
  const unit = units.find((it) => amount % (suffixes[it] ?? 1n) === 0n) ?? 'n';
  return `${amount / (suffixes[unit] ?? 1n)}${unit}`;
}
