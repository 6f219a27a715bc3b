// The tests that a developer waits for: the quick gate, the simulations, and each kind on a real
// API server (built or downloaded first, if it is not there).
import { checkHouse } from './house/check.ts';
import { getBinaries, getBindIfPossible } from './needs.ts';
import { checkTypes, jestAndExit, run } from './run.ts';

run('generated files are up to date', 'node', ['scripts/generate.ts', '--check']);
checkTypes();
run('lint and format', 'biome', ['check', '--error-on-warnings']);
checkHouse();
await getBinaries();
await getBindIfPossible();
console.log('\n▸ unit tests, simulation, each kind on a real API server');
jestAndExit(['unit', 'sim', 'kinds'], process.argv.slice(2));
