// Does the code keep the house rules? One line for each import, name, export, comment or commit
// that breaks one.

import { root } from '../run.ts';
import { unusedExports } from './exports.ts';
import { forbiddenImports } from './floors.ts';
import { longSubjects, namesTwice, sourcesIn, wideComments } from './style.ts';

export function checkHouse(): void {
  console.log('\n▸ floors, names, exports, width');
  const sources = sourcesIn(root, ['src', 'test', 'scripts', 'bench']);
  const problems = [
    ...forbiddenImports(root),
    ...namesTwice(sourcesIn(root, ['src'])),
    ...unusedExports(sources),
    ...wideComments(sources),
    ...longSubjects(root),
  ];
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exit(1);
}
