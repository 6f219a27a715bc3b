// Does a groups.txt become groups that the API server takes, or a message for each mistake?
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import { groupImport } from '../../../../../src/cli/commands/group/import.ts';
import { problemsIn } from '../../../../../src/cli/validate/check.ts';
import { ownObjectsIn } from '../../../../../src/cli/validate/documents.ts';
import { Files, ran } from '../../ran.ts';

const files = new Files();
afterAll(() => files.remove());

async function imported(text: string, ...flags: readonly string[]) {
  const file = files.write('groups.txt', text);
  const { code, stdout, stderr } = await ran(groupImport, file, ...flags);
  return { code, stdout, stderr: stderr.replaceAll(file, 'groups.txt') };
}

const rules =
  "allowed are at most 253 lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit";

describe('swarmctl group import', () => {
  it('group import prints a group for each line of the file', async () => {
    const { code, stdout } = await imported(
      'teastore-webui,teastore-db,teastore-image\nteastore-auth\n',
    );
    expect(stdout.replaceAll(/^# .*groups/gm, '# groups').split('\n')).toEqual([
      '# groups.txt:1',
      'apiVersion: k8slab.info/v1alpha1',
      'kind: SwarmGroup',
      'metadata:',
      '  name: teastore-webui',
      '  namespace: default',
      '  labels:',
      '    app_name: teastore',
      'spec:',
      '  members:',
      '    - { kind: Deployment, name: teastore-webui }',
      '    - { kind: Deployment, name: teastore-db }',
      '    - { kind: Deployment, name: teastore-image }',
      '---',
      '# groups.txt:2',
      'apiVersion: k8slab.info/v1alpha1',
      'kind: SwarmGroup',
      'metadata:',
      '  name: teastore-auth',
      '  namespace: default',
      '  labels:',
      '    app_name: teastore',
      'spec:',
      '  members:',
      '    - { kind: Deployment, name: teastore-auth }',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('group import takes names, namespace and size from its flags', async () => {
    const { stdout } = await imported('a', '--app-name', 'Shop_1', '-n', 'ours', '--replicas', '3');
    expect(loadAll(stdout)).toEqual([
      {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmGroup',
        metadata: { name: 'a', namespace: 'ours', labels: { app_name: 'Shop_1' } },
        spec: { replicas: 3, members: [{ kind: 'Deployment', name: 'a' }] },
      },
    ]);
  });

  it.each<[string, string, readonly (readonly string[])[]]>([
    ['spaces and empty lines', ' a , b\t\n\n  \nc', [['a', 'b'], ['c']]],
    ['lines of Windows, and a byte order mark', '\ufeffa,b\r\nc\r\n', [['a', 'b'], ['c']]],
    ['lines that begin with #', '# a,b\n  # c\nd', [['d']]],
    ['a name that YAML takes for another value', 'on,010,1e3', [['on', '010', '1e3']]],
  ])('group import reads %s', async (_, text, wanted) => {
    const { stdout } = await imported(text);
    const members = loadAll(stdout).map((group) => (group as Printed).spec.members);
    expect(members.map((all) => all.map(({ name }) => name))).toEqual(wanted);
  });

  it('group import quotes what YAML 1.1, which kubectl reads, takes for another value', async () => {
    const { stdout } = await imported('on,2020-01-01');
    expect(stdout).toContain('name: "on"');
    expect(stdout).toContain('name: "2020-01-01"');
  });

  it.each<[string, string, readonly string[]]>([
    [
      'no group',
      '',
      ['1: contains no group; expected one per line, such as teastore-webui,teastore-db'],
    ],
    [
      'nothing but a comment',
      '\n# a',
      ['1: contains no group; expected one per line, such as teastore-webui,teastore-db'],
    ],
    [
      'a name that Kubernetes does not allow',
      'other_services',
      [`1: "other_services" is not a valid name of a Deployment; ${rules}`],
    ],
    [
      'an empty name',
      'a,,b',
      ['1: name 2 of 3 is empty; expected a name on both sides of each comma'],
    ],
    [
      'a comma at the end',
      'a,',
      ['1: name 2 of 2 is empty; expected a name on both sides of each comma'],
    ],
    ['other separators', 'a;b c', [`1: "a;b c" is not a valid name of a Deployment; ${rules}`]],
    [
      'a name that steers the terminal',
      'a\u001b[2J',
      [`1: "a [2J" is not a valid name of a Deployment; ${rules}`],
    ],
    ['a name twice in a line', 'a,b,a', ['1: a appears twice in this line']],
    [
      'a name in two lines',
      'a,b\n\nc,b',
      ['3: b also appears in line 1; a Deployment can be in only one group'],
    ],
    [
      'a first name that no label can hold',
      `${'x'.repeat(64)},b`,
      [
        `1: "${'x'.repeat(64)}" becomes the name of the group, but has 64 characters; allowed are 63: put a shorter name first`,
      ],
    ],
    [
      'too many members',
      Array.from({ length: 101 }, (_, at) => `m${at}`).join(),
      ['1: group with 101 members: spec.members must NOT have more than 100 items'],
    ],
    [
      'several mistakes',
      'A\nb,b\nok\nc,',
      [
        `1: "A" is not a valid name of a Deployment; ${rules}`,
        '2: b appears twice in this line',
        '4: name 2 of 2 is empty; expected a name on both sides of each comma',
      ],
    ],
  ])('group import refuses %s, with its line', async (_, text, told) => {
    const { code, stdout, stderr } = await imported(text);
    const count = told.length === 1 ? '1 error' : `${told.length} errors`;
    expect(stderr.split('\n')).toEqual([
      ...told.map((it) => `groups.txt:${it}`),
      `${count} in groups.txt; no group was printed`,
      '',
    ]);
    expect([code, stdout]).toEqual([1, '']);
  });

  it('group import shows a hundred mistakes at most, and counts all', async () => {
    const { stderr } = await imported('A\n'.repeat(103));
    expect(stderr.split('\n')).toHaveLength(102);
    expect(stderr).toContain('103 errors in groups.txt (3 not shown); no group was printed');
  });

  it.each([
    [['--app-name', 'tea store'], '--app-name is "tea store"; allowed are at most 63 letters'],
    [['-n', 'Tea'], '--namespace is "Tea"; allowed are at most 63 lowercase letters'],
    [['-n', 'a.b'], '--namespace is "a.b"; allowed are'],
    [['--replicas', '-1'], '--replicas: N is missing'],
  ])('group import refuses the flags %j', async (flags, says) =>
    expect(await imported('a', ...flags)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(says),
    }),
  );

  it('group import refuses a folder', async () =>
    expect(await ran(groupImport, 'samples')).toMatchObject({
      code: 2,
      stderr: 'samples is a folder; expected a file\n',
    }));

  it('group import prints only what the definition allows, or names a line of the file', async () => {
    const word = fc.oneof(
      fc.constantFrom('a', 'b', 'on', 'web-1', 'A', '', 'x'.repeat(64)),
      fc.string({ maxLength: 5 }),
    );
    const text = fc
      .array(fc.array(word, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
      .map((lines) => lines.map((names) => names.join()).join('\n'));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const { code, stdout, stderr } = await imported(content);
        if (code === 0) {
          const { own, others } = ownObjectsIn({ file: 'x', text: stdout });
          expect(own.flatMap(problemsIn)).toEqual([]);
          expect([own.length > 0, others]).toEqual([true, []]);
        } else {
          const count = content.split(/\r\n|\r|\n/).length;
          for (const told of stderr.trimEnd().split('\n').slice(0, -1)) {
            const [, line = ''] = /^groups\.txt:(\d+): ./.exec(told) ?? [];
            expect([1 <= Number(line), Number(line) <= count]).toEqual([true, true]);
          }
          expect([code, stdout]).toEqual([1, '']);
        }
      }),
    );
  });
});

type Printed = { readonly spec: { readonly members: readonly { readonly name: string }[] } };
