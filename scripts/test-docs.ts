// Every command of README.md and docs/, typed on a playground. Usage: test-docs.ts [jest's
// arguments]
import { getBinaries, getBindIfPossible } from './needs.ts';
import { jestAndExit } from './run.ts';

await getBinaries();
await getBindIfPossible();
console.log('\n▸ the commands of the documentation');
jestAndExit(['docs'], process.argv.slice(2));
