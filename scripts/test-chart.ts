// The Helm chart: what it makes of its values, compared with kustomize, and installed. Usage:
// test-chart.ts [jest's arguments]
import { getBinaries } from './needs.ts';
import { jestAndExit } from './run.ts';

await getBinaries('helm');
console.log('\n▸ the chart');
jestAndExit(['chart'], process.argv.slice(2));
