// Do the tests notice bugs? Injects each small bug of scripts/mutants alone, in a copy of the
// project, and runs its tests. `--only 3,17` for some; two at a time. `--update` writes the results
// into the table of docs/reliability.md; a run of all mutants always does.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mutants, mutated } from './mutants/mutants.ts';
import { runTests } from './mutants/run-tests.ts';
import { type Found, withTable } from './mutants/table.ts';
import { parseOptions } from './options.ts';
import { root } from './run.ts';

const PARALLEL_RUNS = 2;
const DOCUMENT = `${root}docs/reliability.md`;
const copied = [
  'src',
  'test',
  'crds',
  'scripts',
  'samples',
  'deploy',
  'docs',
  'package.json',
  'jest.config.mjs',
];

const { values } = parseOptions({
  name: 'mutants --',
  summary: 'apply small bugs one at a time, and check that the tests catch them',
  operands: { usage: '', least: 0, most: 0 },
  about: `Runs each mutant in a copy of the project, two at a time. A run of all mutants updates the table in docs/reliability.md.
npm run generate numbers its rows again when a mutant was added or has moved.
Exit codes: 0 all were caught, 1 at least one survived, 2 wrong command line.`,
  flags: {
    only: {
      type: 'text',
      value: 'NUMBERS',
      help: 'only these mutants, by their numbers in the table; default: all',
    },
    update: { type: 'switch', help: 'write the results of these mutants into the table, too' },
  },
  examples: [['npm run mutants -- --only 3,17', 'two of them']],
});
const numbers = values.only?.split(',').map(Number) ?? mutants.map((_, index) => index + 1);
const unknown = numbers.filter((number) => mutants[number - 1] === undefined);
if (unknown.length > 0) {
  console.error(`unknown mutant ${unknown.join(', ')}; allowed are 1 to ${mutants.length}`);
  process.exit(2);
}
for (const number of numbers) textOf(number);
const found = await runAll();
const survived = found.filter(({ caughtBy }) => caughtBy === undefined);
console.log(`\n${found.length - survived.length} of ${found.length} caught`);
if (values.only === undefined || values.update)
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), mutants, found));
process.exit(survived.length > 0 ? 1 : 0);

function textOf(number: number): string {
  const mutant = mutants[number - 1];
  if (mutant === undefined) throw new Error(`no mutant ${number}`);
  return mutated(mutant, root);
}

async function runAll(): Promise<readonly Found[]> {
  const left = [...numbers];
  const results: Found[] = [];
  const runNext = async (): Promise<void> => {
    const copy = copyOfProject();
    try {
      const sound = [...new Set(numbers.flatMap((number) => mutants[number - 1]?.tests ?? []))];
      // Tests that fail without any mutant would catch everything.
      if (results.length === 0 && left.length === numbers.length) await mustPass(copy, sound);
      for (let number = left.shift(); number !== undefined; number = left.shift())
        results.push(await tryOut(copy, number));
    } finally {
      rmSync(copy, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_RUNS }, runNext));
  return results.sort((a, b) => a.number - b.number);
}

async function mustPass(copy: string, tests: readonly string[]): Promise<void> {
  const { caughtBy } = await runTests(copy, tests);
  if (caughtBy !== undefined) throw new Error(`this test fails without any mutant: ${caughtBy}`);
}

async function tryOut(copy: string, number: number): Promise<Found> {
  const mutant = mutants[number - 1];
  if (mutant === undefined) throw new Error(`no mutant ${number}`);
  const file = path.join(copy, mutant.file);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, textOf(number));
  try {
    const outcome = await runTests(copy, mutant.tests);
    console.log(
      `${number}: ${mutant.what}: ${outcome.caughtBy ?? 'SURVIVED'} (${outcome.seconds.toFixed(0)} s)`,
    );
    return { ...outcome, number };
  } finally {
    writeFileSync(file, before);
  }
}

function copyOfProject(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'swarm-mutant-'));
  for (const name of copied) cpSync(`${root}${name}`, path.join(copy, name), { recursive: true });
  symlinkSync(`${root}node_modules`, path.join(copy, 'node_modules'));
  return copy;
}
