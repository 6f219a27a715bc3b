// Where on an axis is a value, and which values label it?

export type Axis = {
  readonly label: string;
  readonly scale: 'log' | 'linear';
  readonly unit?: string;
};

export type Scale = {
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
};

/**
 * From 0 to 1. A logarithmic axis begins and ends at powers of ten, a linear one begins at zero.
 */
export function scaleOf(axis: Axis, values: readonly number[]): Scale {
  return axis.scale === 'log' ? logarithmic(values) : linear(values);
}

function logarithmic(values: readonly number[]): Scale {
  const known = values.filter((value) => value > 0);
  const first = Math.floor(Math.log10(Math.min(...known)) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...known)) - 1e-9));
  const every = Math.max(1, Math.round((last - first) / 7));
  const powers = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
    (power) => (power - first) % every === 0,
  );
  return {
    at: (value) => (Math.log10(Math.max(value, 10 ** first)) - first) / (last - first),
    ticks: powers.map((power) => ({ value: 10 ** power, text: shortly(10 ** power) })),
  };
}

function linear(values: readonly number[]): Scale {
  const most = Math.max(...values, Number.MIN_VALUE);
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(most / step);
  return {
    at: (value) => value / (count * step),
    ticks: Array.from({ length: count + 1 }, (_, index) => ({
      value: index * step,
      text: shortly(index * step),
    })),
  };
}

/** 1,000,000 becomes 1M, 0.0001 stays. */
export function shortly(value: number): string {
  if (value >= 1_000_000) return `${plain(value / 1_000_000)}M`;
  if (value >= 1_000) return `${plain(value / 1_000)}k`;
  return plain(value);
}

const plain = (value: number): string => String(Number(value.toPrecision(3)));
