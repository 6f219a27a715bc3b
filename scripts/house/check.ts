// Does the code keep the house rules? One line for each import, circle, name, export, comment or
// commit that breaks one.

import { root } from '../run.ts';
import { importCircles } from './circles.ts';
import { unusedExports } from './exports.ts';
import { forbiddenImports } from './floors.ts';
import { longSubjects, namesTwice, sourcesIn, wideComments, withoutQuestion } from './style.ts';

export function checkHouse(): void {
  console.log('\n▸ floors, circles, names, exports, width');
  const sources = sourcesIn(root, ['src', 'test', 'scripts', 'bench']);
  const src = sourcesIn(root, ['src']);
  const problems = [
    ...forbiddenImports(root),
    ...importCircles(src),
    ...namesTwice(src),
    ...unusedExports(sources),
    ...withoutQuestion(src),
    ...wideComments(sources),
    ...longSubjects(root),
  ];
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exit(1);
}
