// The tests on a real API server that `npm test` leaves out, then the operator's rights by the
// requests of its operators. With arguments: any test on a real API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getBinaries, getBindIfPossible } from './needs.ts';
import { compareRights } from './rights/compare.ts';
import { type Counts, jest, record, root } from './run.ts';

const args = process.argv.slice(2);
const isWhole = args.length === 0;
const binaries = await getBinaries();
await getBindIfPossible();
console.log('\n▸ integration tests');
const audit = mkdtempSync(path.join(tmpdir(), 'swarm-audit-'));
const projects = isWhole ? ['integration'] : ['kinds', 'integration'];
const tests = jest(projects, args, { SWARM_AUDIT_FOLDER: audit });
console.log(
  `\n▸ permissions granted and used${isWhole ? '' : ' (not compared: only some suites ran)'}`,
);
// An installation that works for every kind.
const allKinds = path.join(root, 'scripts/rights');
const { table, problems } = compareRights(binaries.kubectl, allKinds, audit, isWhole);
rmSync(audit, { recursive: true });
console.log([table, ...problems.map((problem) => `✗ ${problem}`)].join('\n'));
const checked = rightsChecked();
record('rights', checked);
const [passed, failed, skipped] = [
  tests.passed + checked.passed,
  tests.failed + checked.failed,
  tests.skipped + checked.skipped,
];
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);

/** After failed tests the logs are not whole, and what they lack is no news. */
function rightsChecked(): Counts {
  if (tests.failed > 0) return { passed: 0, failed: 0, skipped: 1 };
  return problems.length > 0
    ? { passed: 0, failed: 1, skipped: 0 }
    : { passed: 1, failed: 0, skipped: 0 };
}
