// How do the project's own scripts run a tool and count what it tested?
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));

const bin = (name: string): string => `${root}node_modules/.bin/${name}`;

/** Runs one tool to its end; ends this process with its exit code when it fails. */
export function run(title: string, tool: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  console.log(`\n▸ ${title}`);
  if (spawn(tool, args, env) !== 0) {
    console.error(`\n✗ ${title} failed`);
    process.exit(1);
  }
}

function spawn(tool: string, args: readonly string[], env: NodeJS.ProcessEnv): number | null {
  return spawnSync(bin(tool), [...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status;
}

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** Jest's projects by name; what it counted goes to the file named by SWARM_RESULTS, if any. */
export function jest(projects: readonly string[], args: readonly string[], extraEnv: NodeJS.ProcessEnv = {}): Counts {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-jest-'));
  const results = path.join(folder, 'results.json');
  const env = {
    ...extraEnv,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`.trim(),
  };
  const status = spawn('jest', ['--selectProjects', ...projects, '--json', `--outputFile=${results}`, ...args], env);
  const told = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numFailedTestSuites: number;
  };
  rmSync(folder, { recursive: true });
  // A file that could not even be loaded has failed, although no test in it was counted.
  const failed = Math.max(told.numFailedTests, told.numFailedTestSuites, status === 0 ? 0 : 1);
  const counts = { passed: told.numPassedTests, failed, skipped: told.numPendingTests };
  record(projects.join('+'), counts);
  return counts;
}

export function record(name: string, counts: Counts): void {
  const file = process.env['SWARM_RESULTS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, ...counts })}\n`);
}
