// Are the workflows in .github valid? actionlint, which tools/actionlint pins, checks each of them,
// and their commands if shellcheck is on PATH. Without Go the script says so and counts as skipped.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Counts, record, root } from './run.ts';

const folder = `${root}.github/workflows`;
const files = readdirSync(folder).map((name) => path.join(folder, name));

/** Why there is no Go that can build actionlint; undefined: there is one. */
function goRefusal(): string | undefined {
  const needed = /^go 1\.(\d+)/m.exec(readFileSync(`${root}tools/actionlint/go.mod`, 'utf8'))?.[1];
  const { error, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (error !== undefined) return 'there is no Go on PATH';
  const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
  return Number(minor) >= Number(needed)
    ? undefined
    : `Go is ${stdout.trim()}; required is 1.${needed} or newer`;
}

/** Go builds actionlint at the first call, in seconds, and keeps it in its cache. */
function isValid(file: string): boolean {
  const { status, error } = spawnSync('go', ['tool', 'actionlint', file], {
    cwd: `${root}tools/actionlint`,
    stdio: 'inherit',
    env: { ...process.env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' },
  });
  if (error !== undefined) throw error;
  console.log(`${status === 0 ? '✓' : '✗'} ${path.relative(root, file)}`);
  return status === 0;
}

function check(): Counts {
  const passed = files.filter(isValid).length;
  return { passed, failed: files.length - passed, skipped: 0 };
}

const refusal = goRefusal();
if (refusal !== undefined)
  console.log(`Skipped: the workflows cannot be checked here: ${refusal}.`);
const counts = refusal === undefined ? check() : { passed: 0, failed: 0, skipped: files.length };
record('workflows', counts);
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed > 0 ? 1 : 0;
