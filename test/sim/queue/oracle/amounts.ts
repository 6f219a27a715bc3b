// How much do pods and quotas say? In thousandths, by resource.
import { asRecord } from '../../../../src/api/objects.ts';

export type Amounts = Readonly<Record<string, number>>;

const UNITS: Readonly<Record<string, number>> = {
  m: 1,
  '': 1_000,
  ...Object.fromEntries(['k', 'M', 'G'].map((unit, at) => [unit, 1_000 ** (at + 2)])),
  ...Object.fromEntries(['Ki', 'Mi', 'Gi'].map((unit, at) => [unit, 1_000 * 1_024 ** (at + 1)])),
};

export function amountOf(text: unknown): number {
  const [, number = '', unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  return Math.round(Number(number) * (UNITS[unit] ?? Number.NaN));
}

export const amountsIn = (quantities: unknown): Amounts =>
  Object.fromEntries(
    Object.entries(asRecord(quantities) ?? {}).map(([name, text]) => [name, amountOf(text)]),
  );

const combined = (all: readonly Amounts[], how: (a: number, b: number) => number): Amounts => {
  const result: Record<string, number> = {};
  for (const amounts of all)
    for (const [name, amount] of Object.entries(amounts))
      result[name] = name in result ? how(result[name] ?? 0, amount) : amount;
  return result;
};

export const added = (all: readonly Amounts[]): Amounts => combined(all, (a, b) => a + b);
export const larger = (all: readonly Amounts[]): Amounts => combined(all, Math.max);

/** Of the resources that the bound names: where it is exceeded. */
export const excess = (amounts: Amounts, bound: Amounts): readonly string[] =>
  Object.entries(amounts).flatMap(([name, amount]) => {
    const most = bound[name];
    return most !== undefined && amount > most
      ? [`${amount / 1000} ${name} where ${most / 1000} are allowed`]
      : [];
  });

/** The most that one of several bounds allows: what one of them does not name has no bound. */
export function loosest(all: readonly Amounts[]): Amounts {
  const names = Object.keys(all[0] ?? {}).filter((name) => all.every((it) => name in it));
  const most = larger(all);
  return Object.fromEntries(names.map((name) => [name, most[name] ?? 0]));
}

export const times = (amounts: Amounts, count: number): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * count]));

/** No more than the other says, of what it names. */
export const capped = (amounts: Amounts, most: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, Math.min(amount, most[name] ?? amount)]),
  );
