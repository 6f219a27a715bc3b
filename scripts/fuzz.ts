// Does any input break a parser? Mutates inputs again and again, guided by the branches that they
// reach. npm run fuzz -- [--minutes 10] [--seed N] [--only assignment] [--input JSON]
import '@kubernetes/client-node';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { readBySamples, type SampleReaders } from '../test/fuzz/samples/samples.ts';
import { targets } from '../test/fuzz/targets/all.ts';
import { type Explored, explore } from './fuzz/explore.ts';
import { tableOf } from './fuzz/table.ts';
import { parseOptions } from './options.ts';
import { buildGoSamples, goPrograms } from './peers/go-samples.ts';

const most = 999_999_999;
const SAMPLES = 20_000;
const { values } = parseOptions({
  name: 'fuzz --',
  summary: 'fuzz every parser, guided by the branches that inputs reach',
  operands: { usage: '', least: 0, most: 0 },
  about: `Prints each finding with the shortest input that shows it, as JSON for --input and for test/fuzz/findings.
Exit codes: 0 no finding, 1 at least one finding, 2 wrong command line.`,
  flags: {
    minutes: {
      type: 'number',
      value: 'NUMBER',
      fallback: 1,
      least: 0.01,
      most: 10_000,
      help: 'duration of all targets together',
    },
    seed: {
      type: 'whole',
      value: 'NUMBER',
      least: 0,
      most,
      help: 'seed of the random numbers; default: a new one each time',
    },
    only: {
      type: 'texts',
      value: 'TARGET',
      help: `only this target, of ${targets.map(({ name }) => name).join(', ')}; repeatable`,
    },
    input: { type: 'text', value: 'JSON', help: 'with --only: only this input' },
    jobs: {
      type: 'number',
      value: 'NUMBER',
      fallback: availableParallelism(),
      least: 1,
      most: 1_000,
      help: 'number of threads',
    },
  },
  examples: [
    ['npm run fuzz -- --minutes 10', 'all targets'],
    ['npm run fuzz -- --only assignment --only list --seed 7', 'two targets'],
    [`npm run fuzz -- --only assignment --input '"version: 1"'`, 'one input again'],
  ],
});
const unknown = values.only.filter((only) => targets.every(({ name }) => name !== only));
if (unknown.length > 0) {
  console.error(
    `unknown target ${unknown.join(', ')}; the targets are ${targets.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
const chosen = targets.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
const { seed = Date.now() % (most + 1) } = values;
const input: unknown = values.input === undefined ? undefined : JSON.parse(values.input);
const jobs = Math.min(values.jobs, chosen.length);
const ms = (values.minutes * 60_000 * jobs) / chosen.length;
console.log(`${chosen.length} targets, ${values.minutes} minutes, seed ${seed}`);
const left = [...chosen];
const explored: Explored[] = [];
await Promise.all(Array.from({ length: jobs }, workOff));
console.log(
  `\n${tableOf(chosen.flatMap((target) => explored.filter((it) => it.target === target)))}`,
);
const found = explored.flatMap(({ target, found: its }) => its.map((it) => ({ target, ...it })));
for (const { target, kind, message, input: shows } of found) {
  console.log(
    `\n✗ ${target.name}: ${kind}\n  ${message.slice(0, 600)}\n  --only '${target.name}' --input '${JSON.stringify(shows.slice(0, 4_000)).replaceAll("'", "'\\''")}'`,
  );
}
const samples =
  values.input === undefined && chosen.some(({ name }) => name === 'assignment')
    ? readBySamples(seed, SAMPLES, sampleReaders())
    : [];
for (const { language, read, wrong } of samples) {
  console.log(
    `\n${wrong.length === 0 ? '✓' : '✗'} ${read} assignments read by the sample worker in ${language}, ${wrong.length} of them wrongly`,
  );
  for (const it of wrong.slice(0, 3)) console.log(`  ${it}`);
}
const isWell = found.length === 0 && samples.every(({ wrong }) => wrong.length === 0);
console.log(`\n${isWell ? 'no findings' : 'there are findings'}`);
process.exit(isWell ? 0 : 1);

/** Of the languages that are here. */
function sampleReaders(): SampleReaders {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-fuzz-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const go = buildGoSamples(folder) === undefined ? path.join(folder, goPrograms.reader) : '';
  const hasPython = spawnSync('python3', ['--version']).error === undefined;
  return { ...(hasPython && { python: 'python3' }), ...(go !== '' && { go }) };
}

async function workOff(): Promise<void> {
  for (let target = left.shift(); target !== undefined; target = left.shift()) {
    const it = await explore(target, {
      seed,
      ms,
      input: typeof input === 'string' ? input : undefined,
    });
    explored.push(it);
    console.log(`${it.found.length === 0 ? '✓' : '✗'} ${target.name}`);
  }
}
