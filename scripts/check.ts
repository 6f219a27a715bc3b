// The quick gate: generated files up to date, types, lint and format, unit tests.
import { checkHouse } from './house/check.ts';
import { checkTypes, jest, run } from './run.ts';

run('generated files are up to date', 'node', ['scripts/generate.ts', '--check']);
checkTypes();
run('lint and format', 'biome', ['check', '--error-on-warnings']);
checkHouse();
console.log('\n▸ unit tests');
if (jest(['unit'], process.argv.slice(2)).failed > 0) process.exit(1);
