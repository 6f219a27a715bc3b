// Which values can a field of a SwarmPool have? For every field of the schema, some valid and some
// invalid ones.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { asList, asNumber, asRecord, asString, dig } from '../../../src/api/objects.ts';
import { isExclusive } from '../cluster/manifests.ts';
import type { Shape } from './story.ts';

export type Change = { readonly path: string; readonly patch: object; readonly says: string };

const crd: unknown = load(
  readFileSync(new URL('../../../crds/swarmpool.yaml', import.meta.url), 'utf8'),
);
const [version] = asList(dig(crd, 'spec', 'versions'));
const specSchema = dig(version, 'schema', 'openAPIV3Schema', 'properties', 'spec');

/** By path; `undefined` as a value removes the field. */
export const fieldValues: ReadonlyMap<string, readonly unknown[]> = new Map(
  fieldsIn(specSchema, []),
);

/** Each field changed to each of its values. */
const allChanges: readonly Change[] = [...fieldValues].flatMap(([path, values]) =>
  values.map((value) => ({
    path,
    patch: patchOf(path.split('.'), value ?? null),
    says: `${path} = ${short(value)}`,
  })),
);

/** Changes that would end the promise under test are left out. */
export const changesOf = (shape: Shape): readonly Change[] =>
  isExclusive(shape)
    ? allChanges.filter(({ path }) => path !== 'handoff.type' && path !== 'handoff')
    : allChanges;

function fieldsIn(
  schema: unknown,
  path: readonly string[],
): readonly (readonly [string, readonly unknown[]])[] {
  return Object.entries(asRecord(dig(schema, 'properties')) ?? {}).flatMap(([name, field]) => {
    const here = [...path, name];
    const inner = dig(field, 'properties') === undefined ? [] : fieldsIn(field, here);
    return [[here.join('.'), valuesOf(field)] as const, ...inner];
  });
}

/** At the bounds, beyond them, of another type, and none. */
function valuesOf(schema: unknown): readonly unknown[] {
  if (dig(schema, 'x-kubernetes-int-or-string') === true)
    return [undefined, 1, 2, '50%', '100%', 'internal', '0%', 0, -1, 70_000, 'No!', true];
  const choices = asList(dig(schema, 'enum'));
  if (choices.length > 0) return [undefined, ...choices, 'Bogus', 7];
  switch (dig(schema, 'type')) {
    case 'integer': {
      const least = asNumber(dig(schema, 'minimum')) ?? -5;
      const most = asNumber(dig(schema, 'maximum')) ?? 1_000_000;
      return [
        undefined,
        least,
        least + 1,
        Math.min(most, least + 5),
        least - 1,
        most + 1,
        'many',
        1.5,
      ];
    }
    case 'boolean':
      return [undefined, true, false, 'yes'];
    case 'string': {
      const most = asNumber(dig(schema, 'maxLength')) ?? 253;
      const isPath = asString(dig(schema, 'pattern'))?.startsWith('^/') === true;
      return [
        undefined,
        isPath ? '/other' : 'other',
        isPath ? '/x' : 'x',
        '',
        'a b\n',
        'x'.repeat(most + 1),
        5,
      ];
    }
    case 'array':
      return [undefined, [], ...itemsOf(dig(schema, 'items')), 'no list', [null]];
    default:
      return [undefined, {}, 'no mapping', []];
  }
}

/** Lists with an item or two, good and bad. */
function itemsOf(schema: unknown): readonly (readonly unknown[])[] {
  if (dig(schema, 'type') === 'integer') return [[0], [0, 1], [0, 0], [-1], ['0']];
  const properties = asRecord(dig(schema, 'properties')) ?? {};
  if ('configMapKeyRef' in properties) {
    return [
      [{ configMapKeyRef: { name: 'more-streams', key: 'list' } }],
      [{ configMapKeyRef: { name: 'missing', key: 'list' } }],
      [{}],
    ];
  }
  const varied = Object.entries(properties).flatMap(([field, inner]) =>
    valuesOf(inner)
      .filter((value) => value !== undefined)
      .map((value) => [{ name: 's0', [field]: value }, { name: 's1' }, { name: 's2' }]),
  );
  return [
    ...varied,
    [{ name: 's0' }, { name: 's0' }],
    [
      { name: 's0', spreadGroup: 'g' },
      { name: 's1', spreadGroup: 'g' },
    ],
  ];
}

function patchOf([name = '', ...rest]: readonly string[], value: unknown): object {
  return { [name]: rest.length === 0 ? value : patchOf(rest, value) };
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'left out').slice(0, 60);
}
