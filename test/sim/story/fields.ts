// Which values can a field of one of our kinds have? For every field of the schema, some valid and
// some invalid ones.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { asList, asNumber, asRecord, asString, dig } from '../../../src/api/objects.ts';
import { isExclusive } from '../cluster/manifests.ts';
import type { Shape } from './story.ts';

export type Change = { readonly path: string; readonly patch: object; readonly says: string };

/** An entry of a list: by its place, with its keys. */
type Item = (index: number) => object;

/** Each field of the spec changed to each of its values; null removes it. */
function changesIn(file: string, item: Item): readonly Change[] {
  const crd: unknown = load(
    readFileSync(new URL(`../../../crds/${file}`, import.meta.url), 'utf8'),
  );
  const [version] = asList(dig(crd, 'spec', 'versions'));
  const schema = dig(version, 'schema', 'openAPIV3Schema', 'properties', 'spec');
  return fieldsIn(schema, item, []).flatMap(([path, values]) =>
    values.map((value) => ({
      path,
      patch: patchOf(path.split('.'), value ?? null),
      says: `${path} = ${short(value)}`,
    })),
  );
}

const allChanges = changesIn('swarmpool.yaml', (index) => ({ name: `s${index}` }));

export const groupChanges = changesIn('swarmgroup.yaml', (index) => ({
  kind: index % 2 === 0 ? 'Deployment' : 'StatefulSet',
  name: `m${index}`,
}));

/** Changes that would end the promise under test are left out. */
export const changesOf = (shape: Shape): readonly Change[] =>
  isExclusive(shape)
    ? allChanges.filter(({ path }) => path !== 'handoff.type' && path !== 'handoff')
    : allChanges;

function fieldsIn(
  schema: unknown,
  item: Item,
  path: readonly string[],
): readonly (readonly [string, readonly unknown[]])[] {
  return Object.entries(asRecord(dig(schema, 'properties')) ?? {}).flatMap(([name, field]) => {
    const here = [...path, name];
    const inner = dig(field, 'properties') === undefined ? [] : fieldsIn(field, item, here);
    return [[here.join('.'), valuesOf(field, item)] as const, ...inner];
  });
}

/** At the bounds, beyond them, of another type, and none. */
function valuesOf(schema: unknown, item: Item): readonly unknown[] {
  if (dig(schema, 'x-kubernetes-int-or-string') === true)
    return [
      undefined,
      1,
      2,
      '1.5',
      '50%',
      '100%',
      'internal',
      '0%',
      0,
      '0.0',
      -1,
      70_000,
      'No!',
      true,
    ];
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
      return [undefined, [], ...itemsOf(dig(schema, 'items'), item), 'no list', [null]];
    default:
      return [undefined, {}, 'no mapping', []];
  }
}

/** Lists with an item or two, good and bad. */
function itemsOf(schema: unknown, item: Item): readonly (readonly unknown[])[] {
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
    valuesOf(inner, item)
      .filter((value) => value !== undefined)
      .map((value) => [{ ...item(0), [field]: value }, item(1), item(2)]),
  );
  return [
    ...varied,
    [item(0), item(0)],
    ...('spreadGroup' in properties
      ? [[0, 1].map((at) => ({ ...item(at), spreadGroup: 'g' }))]
      : []),
  ];
}

function patchOf([name = '', ...rest]: readonly string[], value: unknown): object {
  return { [name]: rest.length === 0 ? value : patchOf(rest, value) };
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'left out').slice(0, 60);
}
