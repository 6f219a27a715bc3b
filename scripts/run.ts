// How do the project's own scripts run a tool and count what it tested?
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));

export const bin = (name: string): string => `${root}node_modules/.bin/${name}`;

/** Runs one tool to its end; ends this process with its exit code when it fails. */
export function run(
  title: string,
  tool: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): void {
  console.log(`\n▸ ${title}`);
  if (spawn(tool, args, env) !== 0) {
    console.error(`\n✗ ${title} failed`);
    process.exit(1);
  }
}

/**
 * What runs in a browser knows another world than the rest. What has not changed since the last
 * time is not checked again.
 */
export function checkTypes(): void {
  for (const project of ['.', 'src/web', 'test/page']) {
    const title = project === '.' ? 'types' : `types of ${project}`;
    const cache = `${root}node_modules/.cache/${title.replaceAll(/[ /]/g, '-')}.json`;
    const incremental = ['--incremental', '--tsBuildInfoFile', cache];
    run(title, 'tsc', ['--noEmit', ...incremental, '-p', project]);
  }
}

function spawn(tool: string, args: readonly string[], env: NodeJS.ProcessEnv): number | null {
  return spawnSync(bin(tool), [...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status;
}

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** Jest's projects by name; what it counted goes to the file named by SWARM_RESULTS, if any. */
export function jest(
  projects: readonly string[],
  args: readonly string[],
  extraEnv: NodeJS.ProcessEnv = {},
): Counts {
  const { tool, given, env, counts } = jestRun(projects, args);
  return counts(spawn(tool, given, { ...extraEnv, ...env }));
}

/** The last thing that a script does. */
export function jestAndExit(
  projects: readonly string[],
  args: readonly string[],
  extraEnv: NodeJS.ProcessEnv = {},
): never {
  const { passed, failed, skipped } = jest(projects, args, extraEnv);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failed > 0 ? 1 : 0);
}

/**
 * For the control planes of tests: a third less processor time to start one, for 150 MiB more of
 * memory.
 */
const GOGC = process.env['GOGC'] ?? '400';

export type JestRun = {
  readonly tool: string;
  readonly given: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Called when it has ended, with its exit code. */
  readonly counts: (status: number | null) => Counts;
};

/** For who starts it in a way of their own. */
export function jestRun(projects: readonly string[], args: readonly string[]): JestRun {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-jest-'));
  const results = path.join(folder, 'results.json');
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;
  const counts = (status: number | null): Counts => {
    const found = countsIn(results, status);
    rmSync(folder, { recursive: true });
    record(projects.join('+'), found);
    return found;
  };
  const given = ['--selectProjects', ...projects, '--json', `--outputFile=${results}`, ...args];
  // What a suite needs is there before its first test (needs.ts).
  const env = { NODE_OPTIONS: options.trim(), GOGC, SWARM_BINARIES: 'present' };
  return { tool: 'jest', given, env, counts };
}

function countsIn(results: string, status: number | null): Counts {
  if (!existsSync(results)) return { passed: 0, failed: 1, skipped: 0 };
  const told = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numFailedTestSuites: number;
    testResults: readonly { name: string; startTime: number; endTime: number }[];
  };
  sayTheSlowest(told.testResults);
  // A file that could not even be loaded has failed, although no test in it was counted.
  const failed = Math.max(told.numFailedTests, told.numFailedTestSuites, status === 0 ? 0 : 1);
  return { passed: told.numPassedTests, failed, skipped: told.numPendingTests };
}

const SLOWEST = 10;

function sayTheSlowest(
  files: readonly { name: string; startTime: number; endTime: number }[],
): void {
  const rows = files
    .map(({ name, startTime, endTime }) => [(endTime - startTime) / 1_000, name] as const)
    .sort(([a], [b]) => b - a)
    .slice(0, SLOWEST)
    .map(
      ([seconds, name]) => `  ${seconds.toFixed(1).padStart(6)} s  ${path.relative(root, name)}`,
    );
  if (files.length > SLOWEST) console.log(['\nThe slowest files:', ...rows].join('\n'));
}

export function record(name: string, counts: Counts): void {
  const file = process.env['SWARM_RESULTS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, ...counts })}\n`);
}
