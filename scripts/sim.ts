// Runs many stories of the simulation, on every core, and prints the shortest version of each that
// fails. npm run sim -- [--runs N] [--seed N]; --cells [--only F16] [--turn N] [--seed N]; --story
// JSON. --groups: about groups; --queues: about queues and jobs
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { faultCoverage } from '../test/sim/fault-coverage.ts';
import { parseOptions } from './options.ts';
import type { Share, Told } from './sim/share.ts';

const most = 999_999_999;
const { values } = parseOptions({
  name: 'sim --',
  summary: 'run the real operator against a simulated cluster, in virtual time',
  operands: { usage: '', least: 0, most: 0 },
  about: `The seed determines everything in a story, so that you can repeat it exactly. A failure is printed with the shortest story that shows it.
Exit codes: 0 all stories passed, 1 at least one failed, 2 wrong command line.`,
  flags: {
    groups: { type: 'switch', help: 'run stories about groups instead of pools' },
    queues: {
      type: 'switch',
      help: 'run stories about queues and jobs instead of pools',
    },
    runs: {
      type: 'number',
      value: 'NUMBER',
      fallback: 2_000,
      least: 1,
      most,
      help: 'the number of stories, each with the next seed',
    },
    seed: {
      type: 'whole',
      value: 'NUMBER',
      least: 0,
      most,
      help: 'seed of the first story; default: random',
    },
    cells: {
      type: 'switch',
      help: 'instead of stories: inject every fault before and after every API call of every state',
    },
    turn: {
      type: 'number',
      value: 'NUMBER',
      fallback: 0,
      least: 0,
      most,
      help: 'with --cells: the modes to run each state in',
    },
    only: {
      type: 'text',
      value: 'FAULT',
      help: 'with --cells: inject only this fault, such as F9',
    },
    without: {
      type: 'text',
      value: 'ORACLES',
      help: 'ignore the findings of these oracles, such as "selector,size told"',
    },
    story: {
      type: 'text',
      value: 'JSON',
      help: 'instead of random stories: run this story, as a failure printed it',
    },
    jobs: {
      type: 'number',
      value: 'NUMBER',
      fallback: availableParallelism(),
      least: 1,
      most: 1_000,
      help: 'the number of processes',
    },
  },
  examples: [
    ['npm run sim -- --runs 20000', 'twenty thousand new stories'],
    ['npm run sim -- --seed 313361636 --runs 1', 'one story again'],
    ['npm run sim -- --cells --only F9', 'a silent watch, at every possible call'],
  ],
});
const { seed = Date.now() % (most + 1) } = values;
const jobs = values.story === undefined ? values.jobs : 1;
const started = performance.now();
console.log(
  values.cells
    ? `every cell, turn ${values.turn}, seed ${seed}`
    : `${values.runs} stories from seed ${seed}`,
);
const told = await Promise.all(Array.from({ length: jobs }, (_, share) => workOff(share)));
const sum = (of: (it: Told) => number): number => told.reduce((total, it) => total + of(it), 0);
const seconds = (performance.now() - started) / 1000;
const cells = told.flatMap((it) => it.cells);
const worst = Math.max(...told.map(({ worstSettledMs }) => worstSettledMs));
console.log(
  `${sum(({ runs }) => runs)} runs, ${sum(({ injected }) => injected)} faults injected, ` +
    `${sum(({ walks }) => walks)} of them walks, ${sum(({ changedTarget }) => changedTarget)} of these with a change of target, ` +
    `${sum(({ bad }) => bad)} failed; ${seconds.toFixed(0)} s, ${(sum(({ cpuMs }) => cpuMs) / sum(({ runs }) => runs)).toFixed(1)} ms of CPU a run; ` +
    `longest time until healthy ${(worst / 1000).toFixed(1)} s`,
);
const missed = cells.filter(({ injected }) => !injected);
if (values.cells) console.log(`\n${faultCoverage(cells)}`);
for (const { fault, state, side, call } of missed)
  console.log(`✗ ${fault} was not injected ${side} call ${call} of "${state}"`);
process.exit(sum(({ bad }) => bad) + missed.length > 0 ? 1 : 0);

function workOff(share: number): Promise<Told> {
  const file = fileURLToPath(new URL('sim/share.ts', import.meta.url));
  const child = fork(file, [JSON.stringify({ ...values, seed, share, jobs } satisfies Share)], {
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    let told: Told | undefined;
    child.on('message', (message: Told) => {
      told = message;
    });
    child.on('exit', (code) =>
      told === undefined ? reject(new Error(`a worker ended with ${code}`)) : resolve(told),
    );
  });
}
