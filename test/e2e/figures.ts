// Which values were measured? Printed as a table at the end of the run, and as JSON.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { type Measured, table } from '../../bench/instruments/measure.ts';

const figures: Measured[] = [];

export const note = (figure: Measured): void => void figures.push(figure);

export const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} s`;

/** Not by console.log: jest would add the source location to each line. */
export function printFigures(): void {
  const loads = loadavg().map((load) => load.toFixed(1));
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loads.join(' ')}`;
  process.stdout.write(`\n${machine}\n\n${table(figures)}\n\n`);
  const file = process.env['SWARM_E2E_FIGURES'];
  if (file !== undefined)
    writeFileSync(file, `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
}
