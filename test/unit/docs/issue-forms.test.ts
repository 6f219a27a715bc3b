// Does GitHub accept the issue forms, and do their links lead somewhere?
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

const root = new URL('../../../', import.meta.url);
const folder = '.github/ISSUE_TEMPLATE/';
const forms = readdirSync(new URL(folder, root)).filter((file) => file !== 'config.yml');
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

type Field = {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly options?: readonly string[] };
};
type Form = {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
};

describe.each(forms)('the form %s', (file) => {
  const form = load(read(`${folder}${file}`)) as Form;

  it('an issue form has a name, a description and fields of types that GitHub has', () => {
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    for (const { type, id, attributes } of form.body) {
      if (type === 'markdown') expect(attributes).toEqual({ value: expect.any(String) });
      else {
        expect(['textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
        expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)]);
      }
    }
  });

  it('an issue form names each field once, and offers each choice once', () => {
    for (const names of [
      form.body.flatMap(({ id }) => id ?? []),
      form.body.flatMap(({ attributes }) => attributes.label ?? []),
      form.body.flatMap(({ attributes }) => attributes.options ?? []),
    ])
      expect(new Set(names).size).toBe(names.length);
  });
});

it.each([...forms.map((file) => `${folder}${file}`), '.github/pull_request_template.md'])(
  'the template %s links to pages of this repository',
  (file) => {
    const links = [...read(file).matchAll(/\]\(\.\.\/blob\/main\/([^)#]+)/g)];
    expect(links).not.toEqual([]);
    for (const [, page = ''] of links)
      expect([page, existsSync(new URL(page, root))]).toEqual([page, true]);
  },
);
