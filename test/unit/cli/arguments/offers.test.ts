// Which words and names does a shell offer, by what is typed before?
import { describe, expect, it } from '@jest/globals';
import type { Shape } from '../../../../src/cli/arguments/command.ts';
import { offerFor, offerText, type WantedNames } from '../../../../src/cli/arguments/offers.ts';
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
  shapeOf('look', '[POOL]', {
    output: { type: 'choice', among: ['text', 'json'], short: 'o', help: 'how' },
    file: { type: 'texts', value: 'FILE', short: 'f', help: 'of these' },
    name: { type: 'text', value: 'NAME', help: 'under it' },
    all: { type: 'switch', help: 'everything' },
    namespace: { type: 'text', value: 'NAME', short: 'n', help: 'there' },
    context: { type: 'text', value: 'NAME', help: 'of it' },
    kubeconfig: { type: 'text', value: 'FILE', help: 'by it' },
    remove: { type: 'texts', value: 'NAME', help: 'without it' },
    state: { type: 'texts', value: 'STATE', among: ['On', 'Off'], help: 'in it' },
  }),
  shapeOf('why', 'POOL STREAM', {}),
  shapeOf('read', '[FILE...]', {}),
  shapeOf('turn', 'on|off', {}),
  shapeOf('team list', 'GROUP', {}),
  shapeOf('team try', 'GROUP...', { dry: { type: 'switch', help: 'only say it' } }),
];

const noNames = async (): Promise<readonly string[]> => [];

it.each<[words: readonly string[], told: readonly string[]]>([
  [
    [],
    [
      'look\tdoes look',
      'why\tdoes why',
      'read\tdoes read',
      'turn\tdoes turn',
      'team\tlist, try',
      ':4',
    ],
  ],
  [['te'], ['team\tlist, try', ':4']],
  [
    ['team', ''],
    ['list\tdoes team list', 'try\tdoes team try', ':4'],
  ],
  [
    ['team', 't'],
    ['try\tdoes team try', ':4'],
  ],
  [
    ['team', 'try', '--d'],
    ['--dry\tonly say it', ':4'],
  ],
  [['team', 'no-such', ''], [':4']],
  [['r'], ['read\tdoes read', ':4']],
  [['no-such', ''], [':4']],
  [
    ['look', '--al'],
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
  [
    ['look', '--output=j'],
    ['--output=json', ':4'],
  ],
  [
    ['look', '--state', 'On', '--state', 'O'],
    ['On', 'Off', ':4'],
  ],
  [['look', '--file=x'], [':0']],
  [
    ['look', '--all', '-f', 'x', '-o', 'text', '--'],
    [
      '--file\tof these',
      '--name\tunder it',
      '--namespace\tthere',
      '--context\tof it',
      '--kubeconfig\tby it',
      '--remove\twithout it',
      '--state\tin it',
      '--help\tshow what it does, with examples',
      ':4',
    ],
  ],
  [['look', '-f', ''], [':0']],
  [['look', '--name', ''], [':4']],
  [['look', '--all', ''], [':4']],
  [
    ['look', '--h'],
    ['--help\tshow what it does, with examples', ':4'],
  ],
  [['read', ''], [':0']],
  [
    ['turn', 'o'],
    ['on', 'off', ':4'],
  ],
  [['turn', 'on', ''], [':4']],
])('a shell is offered the words that may follow %j', async (words, told) =>
  expect(offerText(await offerFor(shapes, words, noNames))).toBe(`${told.join('\n')}\n`),
);

describe('names are looked for', () => {
  const nothing = { pool: undefined, namespace: undefined, context: undefined };
  it.each<[words: readonly string[], wanted: Partial<WantedNames>]>([
    [['look', ''], { ...nothing, what: 'pool' }],
    [['look', '-n', 'x', ''], { what: 'pool', namespace: 'x' }],
    [
      ['look', '--namespace=x', '--kubeconfig', 'k', '--context', 'c', ''],
      { what: 'pool', namespace: 'x', kubeconfig: 'k', context: 'c' },
    ],
    [['look', '-n', ''], { what: 'namespace', namespace: undefined }],
    [['look', '-n', 'x', '-n', 'y', ''], { what: 'pool', namespace: 'y' }],
    [['look', 'tv', '--remove', ''], { what: 'stream', pool: 'tv' }],
    [['look', '--all', '--remove', 'a', 'tv', '--remove', ''], { what: 'stream', pool: 'tv' }],
    [['team', 'list', ''], { what: 'group' }],
    [['team', 'try', '-n', 'x', ''], { what: 'group' }],
    [['team', 'try', 'a', 'b', ''], { what: 'group' }],
    [['why', ''], { what: 'pool' }],
    [['why', 'tv', ''], { what: 'stream', pool: 'tv' }],
  ])('the cluster is asked for names after %j', async (words, wanted) => {
    const asked: WantedNames[] = [];
    const offer = await offerFor(shapes, words, async (it) => {
      asked.push(it);
      return ['cars', 'cars:new'];
    });
    expect(asked).toEqual([expect.objectContaining(wanted)]);
    expect(offer).toEqual({
      words: [
        ['cars', ''],
        ['cars:new', ''],
      ],
      files: false,
    });
  });

  it('a shell is offered the names that begin as typed, a thousand at most', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `s${at}`);
    const shown = async (start: string): Promise<number> =>
      (await offerFor(shapes, ['look', start], async () => many)).words.length;
    expect([await shown(''), await shown('s299'), await shown('x')]).toEqual([1_000, 11, 0]);
  });
});
