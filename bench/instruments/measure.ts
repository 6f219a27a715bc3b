// How is a value measured, and how is it shown?

export type Measured = {
  readonly name: string;
  readonly value: string;
  /** Undefined: measured without a target. */
  readonly target?: string;
  readonly isReached?: boolean;
  readonly note?: string;
};

/** The median of several runs after a first one that warms up. */
export function timed<T>(runs: number, work: () => T): { readonly ms: number; readonly result: T } {
  let result = work();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    result = work();
    return performance.now() - start;
  });
  return { ms: times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0, result };
}

export const secondsSince = (start: number): number => (performance.now() - start) / 1000;

export const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * part))
  ] ?? 0;

export function table(rows: readonly Measured[]): string {
  const reached = (isReached: boolean | undefined): string =>
    isReached === undefined ? '' : isReached ? 'yes' : 'NO';
  const lines = rows.map(
    ({ name, value, target = '', isReached, note = '' }) =>
      `| ${name} | ${value} | ${target} | ${reached(isReached)} | ${note} |`,
  );
  return [
    '| what | measured | target | reached | |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}
