import { expect, it } from '@jest/globals';
import type { Shape } from '../../../../src/cli/arguments/command.ts';
import { completionsFor } from '../../../../src/cli/arguments/completion.ts';
import type { Flags } from '../../../../src/flags.ts';

const shapeOf = (name: string, usage: string, flags: Flags): Shape => ({
  name,
  summary: `does ${name}`,
  operands: { usage, least: 0, most: 9 },
  flags,
  about: '',
  examples: [],
});

const shapes = [
  shapeOf('look', 'POOL', {
    output: { type: 'choice', among: ['text', 'json'], short: 'o', help: 'how' },
    file: { type: 'texts', value: 'FILE', short: 'f', help: 'of these' },
    name: { type: 'text', value: 'NAME', help: 'under it' },
    all: { type: 'switch', help: 'everything' },
  }),
  shapeOf('read', '[FILE...]', {}),
];

it.each<[words: readonly string[], told: readonly string[]]>([
  [[], ['look\tdoes look', 'read\tdoes read', ':4']],
  [['r'], ['read\tdoes read', ':4']],
  [['no-such', ''], [':4']],
  [
    ['look', '--a'],
    ['--all\teverything', ':4'],
  ],
  [
    ['look', '-o', ''],
    ['text', 'json', ':4'],
  ],
  [
    ['look', '--output', 'j'],
    ['json', ':4'],
  ],
  [['look', '-f', ''], [':0']],
  [['look', '--name', ''], [':4']],
  [['look', '--all', ''], [':4']],
  [
    ['look', '--h'],
    ['--help\twhat it does, with examples', ':4'],
  ],
  [['read', ''], [':0']],
])('%j', (words, told) => expect(completionsFor(shapes, words)).toBe(`${told.join('\n')}\n`));
