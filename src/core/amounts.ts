// How much of each resource? Exact amounts by resource, in billionths (see core/quantity.ts).

/** By resource. An omitted resource counts as zero. */
export type Amounts = ReadonlyMap<string, bigint>;

export const amountOf = (amounts: Amounts, resource: string): bigint => amounts.get(resource) ?? 0n;

export const times = (amounts: Amounts, count: number): Amounts =>
  new Map([...amounts].map(([resource, amount]) => [resource, amount * BigInt(count)]));

export const sum = (all: readonly Amounts[]): Amounts => combined(all, (a, b) => a + b);

/** The larger amount of each resource. */
export const larger = (all: readonly Amounts[]): Amounts =>
  combined(all, (a, b) => {
    if (a > b) return a;
    return b;
  });

function combined(all: readonly Amounts[], combine: (a: bigint, b: bigint) => bigint): Amounts {
  const result = new Map<string, bigint>();
  for (const amounts of all)
    for (const [resource, amount] of amounts)
      result.set(resource, combine(result.get(resource) ?? 0n, amount));
  return result;
}

/** The amounts by which `amounts` exceeds `bounds`. A resource without a bound is not compared. */
export function beyond(amounts: Amounts, bounds: Amounts): Amounts {
  const exceeded = new Map<string, bigint>();
  for (const [resource, amount] of amounts) {
    const bound = bounds.get(resource);
    if (bound !== undefined && amount > bound) exceeded.set(resource, amount - bound);
  }
  return exceeded;
}
