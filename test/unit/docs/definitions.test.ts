// Does every field of our kinds have a description? `kubectl explain` and the reference show
// nothing else.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readDefinitions, type Schema } from '../../../scripts/definitions/schema.ts';
import { fieldsOf } from '../../../scripts/reference/fields.ts';

const definitions = readDefinitions(new URL('../../../crds/', import.meta.url));

/** Fields of all kinds; the API server describes these itself, and allows no other description. */
const common = ['.apiVersion', '.kind', '.metadata'];

/** The items of lists need descriptions as well, unless they are only a string or a number. */
function silent(schema: Schema): readonly string[] {
  return fieldsOf(schema, '')
    .flatMap(({ path, schema: field }) => [
      { path, field },
      ...(field.items?.properties === undefined ? [] : [{ path: `${path}[]`, field: field.items }]),
    ])
    .filter(({ field }) => !/^.+[.:)]$/s.test(field.description ?? ''))
    .map(({ path }) => path)
    .filter((path) => !common.includes(path));
}

describe.each(definitions.map(({ kind, schema, columns }) => [kind, schema, columns] as const))(
  '%s',
  (_, schema, columns) => {
    it('each field of a definition is described in whole sentences', () => {
      expect(schema.description).toMatch(/\.$/);
      expect(silent(schema)).toEqual([]);
    });

    it('each field with a default gives it in its description', () => {
      const untold = fieldsOf(schema, '').filter(
        ({ schema: { default: value, description = '' } }) => {
          const isSaid =
            description.includes(`Default: ${String(value)}.`) ||
            description.includes(`Default: ${String(value)},`);
          return value !== undefined && typeof value !== 'object' && !isSaid;
        },
      );
      expect(untold.map(({ path }) => path)).toEqual([]);
    });

    it('each printed column is described, except AGE, which all kinds have', () => {
      expect(
        columns.filter(({ description }) => description === undefined).map(({ name }) => name),
      ).toEqual(['Age']);
    });
  },
);

it('a field without a description is found, at any depth', () => {
  const text: Schema = { type: 'string' };
  const told: Schema = { ...text, description: 'A name.' };
  const list: Schema = {
    type: 'array',
    description: 'All.',
    items: { type: 'object', properties: { told, untold: text } },
  };
  expect(silent({ properties: { told, untold: text, list } })).toEqual([
    '.untold',
    '.list[]',
    '.list[].untold',
  ]);
});

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];
const kinds = definitions.map(({ kind }) => kind);

it.each(['README.md', 'docs/install.md', 'docs/tutorial.md'])(
  '%s says how many CRDs an installation has',
  (page) => {
    const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8');
    expect(text.replace(/\s+/g, ' ')).toContain(`${numbers[kinds.length]} CRDs`);
    expect(kinds.filter((kind) => !text.includes(kind))).toEqual([]);
  },
);
