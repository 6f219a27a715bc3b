// The tools that come with the operator: the playground itself, `swarmctl worker-check`, the npm
// packages. Usage: test-tools.ts [jest's arguments]
import { getBinaries, getBindIfPossible } from './needs.ts';
import { jestAndExit } from './run.ts';

await getBinaries();
await getBindIfPossible();
console.log('\n▸ playground, worker-check, packages');
jestAndExit(['tools'], process.argv.slice(2));
