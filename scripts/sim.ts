// Tells many stories of the simulation, on every core, and prints the shortest version of each that ends badly.
// npm run sim -- [--runs N] [--seed N]; --cells [--only F16] [--turn N] [--seed N]; --story JSON
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tableOfStrikes } from '../test/sim/strikes.ts';
import type { Told } from './sim-worker.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    cells: { type: 'boolean', default: false },
    only: { type: 'string' },
    turn: { type: 'string', default: '0' },
    story: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

const jobs = values.story === undefined ? Math.max(1, Number(values.jobs)) : 1;
const started = performance.now();
console.log(values.cells ? `every cell, turn ${values.turn}, seed ${values.seed}` : `${values.runs} stories from seed ${values.seed}`);
const told = await Promise.all(Array.from({ length: jobs }, (_, share) => workOff(share)));
const sum = (of: (it: Told) => number): number => told.reduce((total, it) => total + of(it), 0);
const seconds = (performance.now() - started) / 1000;
const cells = told.flatMap((it) => it.cells);
const worst = Math.max(...told.map(({ worstSettledMs }) => worstSettledMs));
console.log(
  `${sum(({ runs }) => runs)} runs, ${sum(({ struck }) => struck)} faults struck, ` +
    `${sum(({ bad }) => bad)} ended badly; ${seconds.toFixed(0)} s, ${(sum(({ cpuMs }) => cpuMs) / sum(({ runs }) => runs)).toFixed(1)} ms of CPU a run; ` +
    `longest time until all was well ${(worst / 1000).toFixed(1)} s`,
);
const missed = cells.filter(({ struck }) => !struck);
if (values.cells) console.log(`\n${tableOfStrikes(cells)}`);
for (const { fault, state, side, call } of missed) console.log(`✗ ${fault} did not strike ${side} call ${call} of "${state}"`);
process.exit(sum(({ bad }) => bad) + missed.length > 0 ? 1 : 0);

function workOff(share: number): Promise<Told> {
  const file = fileURLToPath(new URL('sim-worker.ts', import.meta.url));
  const child = fork(file, [JSON.stringify({ ...values, share, jobs })], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    let told: Told | undefined;
    child.on('message', (message: Told) => {
      told = message;
    });
    child.on('exit', (code) => (told === undefined ? reject(new Error(`a worker ended with ${code}`)) : resolve(told)));
  });
}
