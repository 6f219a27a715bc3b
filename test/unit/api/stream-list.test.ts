import { describe, expect, it } from '@jest/globals';
import { readStreamList } from '../../../src/api/stream-list.ts';

const read = (text: string) => readStreamList(text, 'lineup/streams.txt');
const streams = (text: string) => {
  const list = read(text);
  if (!list.ok) throw new Error(JSON.stringify(list.problems));
  return list.streams;
};

describe('a list of streams', () => {
  it('a list as text has a line for each stream, with or without a weight, and comments and empty lines', () => {
    const text =
      '# the lineup\ncnbc=100\n\nstream:xxrtve1   # a camera\n  cars:new = 20  \nhash#inside\n';
    expect(streams(text)).toEqual([
      { name: 'cnbc', weight: 100 },
      { name: 'stream:xxrtve1' },
      { name: 'cars:new', weight: 20 },
      { name: 'hash#inside' },
    ]);
  });

  it.each([
    ['block', '# comment\n- name: a\n  weight: 5\n- name: b\n  parameters: {url: x}\n'],
    ['brackets', '[{name: a, weight: 5}, {name: b, parameters: {url: x}}]'],
    ['a document', '---\n- {name: a, weight: 5}\n- {name: b, parameters: {url: x}}\n'],
  ])('a list as YAML in %s has the same fields as streams in the spec', (_, text) => {
    expect(streams(text)).toEqual([
      { name: 'a', weight: 5 },
      { name: 'b', parameters: { url: 'x' } },
    ]);
  });

  it('a list as YAML may have bare names', () => {
    expect(streams('- a\n- "b c"\n')).toEqual([{ name: 'a' }, { name: 'b c' }]);
  });

  it('a list of comments and empty lines has no streams', () => {
    expect(streams('\n# nothing today\n')).toEqual([]);
  });

  it.each([
    [
      'a weight that is none',
      'a\nb\nc=heavy\n',
      'lineup/streams.txt line 3.weight',
      'must be integer',
    ],
    ['a weight left out', 'a=\n', 'lineup/streams.txt line 1.weight', 'must be integer'],
    ['a negative weight', 'a\nb=-1\n', 'lineup/streams.txt line 2.weight', 'must be >= 0'],
    ['no name', '=5\n', 'lineup/streams.txt line 1.name', 'must NOT have fewer than 1 characters'],
    [
      'a wrong type in YAML',
      '- name: a\n- name: b\n  weight: x\n',
      'lineup/streams.txt line 2.weight',
      'must be integer',
    ],
    ['broken YAML', '- name: a\n- name: [b\n', 'lineup/streams.txt line 3', 'not YAML'],
    [
      'a wrong type in brackets',
      '[{name: a}, {weight: 1}]',
      'lineup/streams.txt item 2',
      "must have required property 'name'",
    ],
  ])('a list with %s is refused with the line', (_, text, field, message) => {
    expect(read(text)).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([{ field, message: expect.stringContaining(message) }]),
    });
  });

  it('a list of 100,000 lines is read', () => {
    expect(
      streams(Array.from({ length: 100_000 }, (_, index) => `stream-${index}=1`).join('\n')),
    ).toHaveLength(100_000);
  });
});
