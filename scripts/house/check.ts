// Does the code keep the house rules? One line for each import, name, comment or commit that breaks
// one.
import { root } from '../run.ts';
import { forbiddenImports } from './floors.ts';
import { longSubjects, namesTwice, sourcesIn, wideComments } from './style.ts';

export function checkHouse(): void {
  console.log('\n▸ floors, names, width');
  const problems = [
    ...forbiddenImports(root),
    ...namesTwice(sourcesIn(root, ['src'])),
    ...wideComments(sourcesIn(root, ['src', 'test', 'scripts', 'bench'])),
    ...longSubjects(root),
  ];
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exit(1);
}
