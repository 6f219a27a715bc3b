// Is the reference correct? How its tables read, and whether its hand-written parts still hold.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import type { Schema } from '../../../scripts/definitions/schema.ts';
import { defaultText, type Field, meaningOf, typeText } from '../../../scripts/reference/fields.ts';
import { cell } from '../../../scripts/reference/markdown.ts';
import { readAssignment, writeAssignment } from '../../../src/api/assignment.ts';

const folder = fileURLToPath(new URL('../../../docs/reference/', import.meta.url));
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

const text: Schema = { type: 'string' };
const field = (schema: Schema, isRequired = false): Field => ({
  path: 'spec.a',
  segments: ['a'],
  schema,
  isRequired,
});

describe('a field', () => {
  it.each<[string, Schema, string]>([
    ['a choice', { ...text, enum: ['A', 'B', 'C'] }, '`A`, `B` or `C`'],
    [
      'a number between bounds',
      { type: 'integer', minimum: 0, maximum: 1_000_000 },
      'whole number, 0 to 1,000,000',
    ],
    ['a number without', { type: 'integer' }, 'whole number'],
    [
      'a text with a pattern',
      { ...text, maxLength: 9, pattern: '^a+$' },
      'text, at most 9 characters, matching `^a+$`',
    ],
    [
      'a list of texts',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      'list, no duplicates; each: text',
    ],
    [
      'a list of objects',
      {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: text } },
      },
      'list of objects, at most 5 entries, unique by name',
    ],
    [
      'a map',
      { type: 'object', maxProperties: 3, additionalProperties: text },
      'values by name, at most 3 entries; each: text',
    ],
    ['a number or a percentage', { 'x-kubernetes-int-or-string': true }, 'number or text'],
  ])('the reference describes the type of a field: %s', (_, schema, told) =>
    expect(typeText(schema)).toBe(told),
  );

  it.each<[string, Field, string]>([
    ['is required', field(text, true), 'required'],
    ['has a default', field({ ...text, default: 'x' }), '`x`'],
    [
      'has a default in its description',
      field({ ...text, description: 'The name. Default: a.b or c. Then more.' }),
      'a.b or c',
    ],
    ['is a list', field({ type: 'array', items: text }), 'none'],
    [
      'is a group of fields',
      field({ type: 'object', properties: { b: text } }),
      'as its fields say',
    ],
    ['has none of these', field(text), '–'],
  ])('the reference shows the default of a field that %s', (_, given, told) =>
    expect(defaultText(given)).toBe(told),
  );

  it('the reference shows a description without its sentence about the default', () => {
    expect(meaningOf({ description: 'The name. Default: a.b or c. Then more.' })).toBe(
      'The name. Then more.',
    );
  });
});

it('a pipe or a tag in a text does not end its cell of the table', () =>
  expect(cell('<pool> or `a|b <c>`')).toBe('&lt;pool> or `a\\|b <c>`'));

describe('docs/reference', () => {
  it('docs/reference shows an assignment as it is written and read', () => {
    const [, example = ''] = /```yaml\n(format:[^`]*)```/.exec(read('configmap.md')) ?? [];
    const parsed = readAssignment(example);
    expect(parsed.ok && load(writeAssignment(parsed.assignment))).toEqual(load(example));
  });
});
