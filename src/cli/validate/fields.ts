// Which fields does the definition (CRD) not know, and which did the user probably mean?
import { asList, asRecord, own } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { joined, type RuleSchema } from './rules.ts';

/** Mostly misspelt. The API server drops them, and kubectl refuses them. */
export function unknownFields(schema: RuleSchema, value: unknown, path = ''): readonly Problem[] {
  const items = asList(value).flatMap((item, index) =>
    unknownFields(schema.items ?? {}, item, `${path}[${index}]`),
  );
  const { properties, additionalProperties } = schema;
  const fields = Object.entries(asRecord(value) ?? {}).flatMap(([name, inner]) => {
    const known = own(properties, name) ?? additionalProperties;
    if (known !== undefined) return unknownFields(known, inner, joined(path, name));
    if (properties === undefined) return [];
    const meant = nearest(name, Object.keys(properties));
    const message = meant === undefined ? 'unknown field' : `unknown field; ${meant} is meant?`;
    return [{ field: joined(path, name), message }];
  });
  return [...fields, ...items];
}

const MAX_DISTANCE = 2;

function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((it) => ({ it, edits: distance(name.toLowerCase(), it.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= MAX_DISTANCE ? best.it : undefined;
}

/** How many letters must be changed, added or removed. */
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
