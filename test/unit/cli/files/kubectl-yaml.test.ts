// Does swarmctl read YAML as kubectl does? test/integration/cli/kubectl-yaml.test.ts asks kubectl.
import { expect, it } from '@jest/globals';
import { dump, YAMLException } from 'js-yaml';
import { readAsKubectl } from '../../../../src/cli/files/kubectl-yaml.ts';
import { documentOf, kubectlDocuments } from '../../../support/kubectl-documents.ts';

it.each(kubectlDocuments)('swarmctl reads as kubectl does: %s', (_, fields, want) => {
  const read = (): readonly unknown[] => readAsKubectl(documentOf(fields));
  if (want === undefined) expect(read).toThrow(YAMLException);
  else expect(read()).toEqual([expect.objectContaining(want)]);
});

it('what swarmctl writes is what kubectl reads', () => {
  const texts = 'y N on off Yes NO ~ null 0777 0o17 1_000 1e3 .5 1. .inf << 12:30 2001-01-01 - = +'
    .split(' ')
    .concat('', ' ', '0x1F', '-0b1', 'a: b', '# no');
  const object = { texts, byText: Object.fromEntries(texts.map((text) => [text, 1.5])) };
  expect(readAsKubectl(dump(object))).toEqual([object]);
});

it('swarmctl reads each document of a file, and an empty one as null', () => {
  expect(readAsKubectl('---\n---\na: on\n---\na: "on"\n')).toEqual([
    null,
    { a: true },
    { a: 'on' },
  ]);
});
