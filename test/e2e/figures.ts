// What was measured, as a table at the end of the run and as JSON for who quotes it.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

export type Figure = {
  readonly name: string;
  readonly value: string;
  /** What is promised, if anything is. */
  readonly target?: string;
  readonly isReached?: boolean;
  readonly note?: string;
};

const figures: Figure[] = [];

export const note = (figure: Figure): void => void figures.push(figure);

export const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} s`;

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Not by console.log: jest would say with each line where it comes from. */
export function printFigures(): void {
  const rows = figures.map(
    ({ name, value, target = '', isReached, note: more = '' }) =>
      `| ${[name, value, target, isReached === undefined ? '' : isReached ? 'yes' : 'NO', more].join(' | ')} |`,
  );
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`;
  process.stdout.write(
    `\n${machine}\n\n${['| what | measured | target | reached | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')}\n\n`,
  );
  const file = process.env['SWARM_E2E_FIGURES'];
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
}
