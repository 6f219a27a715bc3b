// Which files import each other in a circle? An import of types alone counts: a reader has to
// follow it, too.
import path from 'node:path';
import { importsIn } from './floors.ts';
import type { Source } from './style.ts';

type Imports = ReadonlyMap<string, readonly string[]>;

/** The files on a shortest way along imports from a file back to itself; none without a circle. */
function circleThrough(start: string, imports: Imports): readonly string[] {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways)
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return way;
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  return [];
}

/** One line for each circle; every file of a circle is in at least one line. */
export function importCircles(sources: readonly Source[]): readonly string[] {
  const imports: Imports = new Map(
    sources.map(({ file, lines }) => [
      file,
      importsIn(lines.join('\n')).map((from) => path.posix.join(path.posix.dirname(file), from)),
    ]),
  );
  const circles = new Map<string, readonly string[]>();
  for (const file of [...imports.keys()].sort()) {
    const circle = circleThrough(file, imports);
    const members = circle.toSorted().join(' ');
    if (circle.length > 0 && !circles.has(members)) circles.set(members, circle);
  }
  return [...circles.values()].map((circle) => {
    const [first = '', ...others] = circle;
    const chain = [...others, first].map((file) => `imports ${file}`).join(', which ');
    return `${first} ${chain}: move what they share to a file that imports none of them`;
  });
}
