// Every test of the operator: the quick gate, then those against a real Kubernetes (built or
// downloaded first, if it is not there), then the operator's rights by what they asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkHouse } from './house/check.ts';
import { getBinaries, getBindIfPossible } from './needs.ts';
import { compareRights } from './rights/compare.ts';
import { checkTypes, jest, record, root, run } from './run.ts';

const args = process.argv.slice(2);
run('generated files are up to date', 'node', ['scripts/generate.ts', '--check']);
checkTypes();
run('lint and format', 'biome', ['check', '--error-on-warnings']);
checkHouse();
const binaries = await getBinaries();
await getBindIfPossible();
console.log('\n▸ unit tests, simulation, integration tests');
const audit = mkdtempSync(path.join(tmpdir(), 'swarm-audit-'));
const tests = jest(['unit', 'sim', 'integration'], args, { SWARM_AUDIT_FOLDER: audit });
console.log(
  `\n▸ permissions granted and used${args.length > 0 ? ' (not compared: only some suites ran)' : ''}`,
);
// An installation that works for every kind.
const allKinds = path.join(root, 'scripts/rights');
const { table, problems } = compareRights(binaries.kubectl, allKinds, audit, args.length === 0);
rmSync(audit, { recursive: true });
console.log([table, ...problems.map((problem) => `✗ ${problem}`)].join('\n'));
// After failed tests the logs are not whole, and what they lack is no news.
const rights =
  tests.failed > 0 ? { passed: 0, failed: 0, skipped: 1 } : { passed: 1, failed: 0, skipped: 0 };
const checked =
  problems.length > 0 && tests.failed === 0 ? { passed: 0, failed: 1, skipped: 0 } : rights;
record('rights', checked);
const [passed, failed, skipped] = [
  tests.passed + checked.passed,
  tests.failed + checked.failed,
  tests.skipped + checked.skipped,
];
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);
