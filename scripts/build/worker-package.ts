// Makes src/worker a package to publish: the compiled worker, with its imports from src/, and the
// licence. Usage: build/worker-package.ts [FOLDER | --remove]; npm runs it before and after it
// packs src/worker, so that no compiled file stays among the sources.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, run } from '../run.ts';

const [argument = 'src/worker'] = process.argv.slice(2);
const isRemoved = argument === '--remove';
const folder = path.resolve(root, isRemoved ? 'src/worker' : argument);
const [dist, license] = [path.join(folder, 'dist'), path.join(folder, 'LICENSE')];
for (const made of [dist, license]) rmSync(made, { recursive: true, force: true });
if (!isRemoved) {
  run('compile the worker', 'tsc', ['-p', 'src/worker', '--outDir', dist]);
  cpSync(`${root}LICENSE`, license);
}
