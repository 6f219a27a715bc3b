// Which fields does the definition not know, and which were meant?
import { asList, asRecord, own } from '../../api/objects.ts';
import type { Problem } from '../../api/validate.ts';
import { joined, type RuleSchema } from './rules.ts';

/** The API server would drop them, and kubectl refuses them: mostly they are misspelt. */
export function unknownFields(schema: RuleSchema, value: unknown, path = ''): readonly Problem[] {
  const items = asList(value).flatMap((item, index) =>
    unknownFields(schema.items ?? {}, item, `${path}[${index}]`),
  );
  const { properties, additionalProperties } = schema;
  const fields = Object.entries(asRecord(value) ?? {}).flatMap(([name, inner]) => {
    const known = own(properties, name) ?? additionalProperties;
    if (known !== undefined) return unknownFields(known, inner, joined(path, name));
    const meant = properties === undefined ? undefined : nearest(name, Object.keys(properties));
    return properties === undefined
      ? []
      : [
          {
            field: joined(path, name),
            message: `unknown field${meant === undefined ? '' : `; ${meant} is meant?`}`,
          },
        ];
  });
  return [...fields, ...items];
}

const LARGEST_SLIP = 2;

function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((it) => ({ it, slip: distance(name.toLowerCase(), it.toLowerCase()) }))
    .sort((a, b) => a.slip - b.slip);
  return ranked[0] !== undefined && ranked[0].slip <= LARGEST_SLIP ? ranked[0].it : undefined;
}

/** Letters to be changed, added or left out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= b.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (a[at - 1] === b[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
