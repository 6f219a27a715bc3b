// Which test fails? Runs jest on a copy of the project until the first failure.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

export type Outcome = { readonly caughtBy: string | undefined; readonly seconds: number };

/** A mutant may well wait for ever. */
const LIMIT_MS = 300_000;

type Results = {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
};

export async function runTests(copy: string, tests: readonly string[]): Promise<Outcome> {
  const results = path.join(copy, 'results.json');
  rmSync(results, { force: true });
  const started = performance.now();
  const isOver = await jest(copy, [
    '--selectProjects',
    'unit',
    'sim',
    '--testPathPatterns',
    ...tests,
    '--json',
    `--outputFile=${results}`,
  ]);
  const seconds = (performance.now() - started) / 1_000;
  if (isOver)
    return { caughtBy: `no end after ${LIMIT_MS / 1_000} s (${tests.join(', ')})`, seconds };
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as Results;
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    const file = path.relative(path.join(copy, 'test'), name);
    if (failed !== undefined) return { caughtBy: `\`${file}\`: ${failed.title}`, seconds };
    // A mutant must fail a test, not the compilation.
    if (assertionResults.length === 0) throw new Error(`${file} cannot be run: ${message}`);
  }
  return { caughtBy: undefined, seconds };
}

/** Resolves to whether jest had to be killed. */
function jest(copy: string, args: readonly string[]): Promise<boolean> {
  const options = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
  const binary = path.join(copy, 'node_modules/jest/bin/jest.js');
  const env = { ...process.env, NODE_OPTIONS: options, SWARM_RUNS: '3' };
  const child = spawn(process.execPath, [binary, '--runInBand', ...args], {
    cwd: copy,
    env,
    stdio: 'ignore',
    timeout: LIMIT_MS,
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_, signal) => resolve(signal !== null));
  });
}
