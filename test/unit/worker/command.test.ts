import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkTemplate, commandFor, splitTemplate } from '../../../src/worker/launch/command.ts';
import { hostileNames, job } from './builders.ts';

const wordsOf = (text: string, literal: readonly string[] = []): readonly string[] | string => {
  const read = splitTemplate(text, literal);
  return read.ok ? read.template : read.problem;
};

describe('a command template is split into words as a shell would', () => {
  const rows: [text: string, words: readonly string[]][] = [
    ['ffmpeg -i {stream}', ['ffmpeg', '-i', '{stream}']],
    ['  a\t b \n c ', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a'b'"c"\\ d`, ['abc d']],
    [`a '' ""`, ['a', '', '']],
    [`a "say \\"hi\\" \\$HOME \\x"`, ['a', 'say "hi" $HOME \\x']],
    [`a '$HOME | \`id\`'`, ['a', '$HOME | `id`']],
    ['a --url=http://x/{param.path}?q={stream}', ['a', '--url=http://x/{param.path}?q={stream}']],
    ['a $ 5$', ['a', '$', '5$']],
    [`sh -c 'run "$SWARM_STREAM"'`, ['sh', '-c', 'run "$SWARM_STREAM"']],
    [`sh -c 'run "$1"' sh {stream}`, ['sh', '-c', 'run "$1"', 'sh', '{stream}']],
  ];
  it.each(rows)('a template is split into words as a shell would: %j', (text, words) =>
    expect(wordsOf(text, ['a'])).toEqual(words),
  );
});

describe('a template that needs a shell, or would run a name, is refused with the reason', () => {
  const rows: [text: string, says: string][] = [
    ['', 'has no program'],
    [`'' a`, 'has no program'],
    [`a 'b`, "a quote ' that is not closed"],
    ['a "b\\"', 'a quote " that is not closed'],
    ['a \\', 'ends in a backslash'],
    ['a | b', 'has |'],
    ['a; b', 'has ;'],
    ['a > b', 'has >'],
    ['a &', 'has &'],
    ['a $HOME', 'has $H'],
    ['a "$(id)"', 'has $('],
    ['a `id`', 'has `'],
    ['{stream} a', 'lets the stream choose the program'],
    ['/bin/{param.tool}', 'lets the stream choose the program'],
    [`sh -c 'run {stream}'`, 'would run it as code'],
    [`/usr/bin/env bash -ec 'run {param.url}'`, 'would run it as code'],
    [`python3.12 -c 'print("{stream}")'`, 'would run it as code'],
    [`node --eval 'f("{stream}")'`, 'would run it as code'],
    ['run {stream}', 'passes {stream} to run'],
    ['ffmpeg -i {param.url} /data/{stream}.ts', 'treats it as more than data'],
  ];
  it.each(rows)('the template %j is refused with the reason', (text, says) =>
    expect(wordsOf(text)).toContain(says),
  );

  it.each([
    ['of many words', `sh -ec {stream} ${'word '.repeat(1_000)}`],
    ['of a program with a long name', `${'x'.repeat(5_000)} {param.${'y'.repeat(5_000)}}`],
    ['of very many programs that start one another', `${'env '.repeat(32_000)}{stream}`],
    ['with control characters', "'\u007f\u0010' sh {stream}"],
  ])('a template %s is refused in one line of bounded length', (_, text) =>
    expect(wordsOf(text)).toMatch(/^[\P{Cc}]{10,1000}$/u),
  );

  it('a template with more than 20 programs that start one another is refused', () => {
    const nested = (count: number): string => `${'env '.repeat(count)}sh script.sh {stream}`;
    expect(splitTemplate(nested(20)).ok).toBe(true);
    expect(wordsOf(nested(21))).toContain('(more than 20 nested programs)');
  });

  it('a template of separate words is checked, too', () => {
    expect(checkTemplate(['sh', '-c', 'echo {stream}']).ok).toBe(false);
    expect(checkTemplate(['ffmpeg', '-c', 'copy', '-i', '{stream}']).ok).toBe(true);
    expect(checkTemplate(['run', '{stream}']).ok).toBe(false);
    expect(checkTemplate(['run', '{stream}'], ['run']).ok).toBe(true);
  });
});

describe('a command is filled in for one stream', () => {
  const template = [
    'run',
    '--in={stream}',
    '{worker}',
    '{weight}',
    '{param.url}',
    '{other}',
    '{{stream}}',
  ];

  it('a command fills in words and environment, and leaves unknown placeholders alone', () => {
    const read = commandFor(
      template,
      job('cars:new', { weight: 40, parameters: { url: 'http://x', 'a-b': '1' } }),
      'w-0',
      {
        PATH: '/bin',
      },
    );
    expect(read).toEqual({
      ok: true,
      command: {
        file: 'run',
        args: ['--in=cars:new', 'w-0', '40', 'http://x', '{other}', '{cars:new}'],
        env: {
          PATH: '/bin',
          SWARM_STREAM: 'cars:new',
          SWARM_WORKER: 'w-0',
          SWARM_WEIGHT: '40',
          SWARM_PARAM_URL: 'http://x',
          SWARM_PARAM_A_B: '1',
        },
      },
    });
  });

  it('a command says which parameter a stream lacks', () => {
    const read = commandFor(
      ['run', '{param.url}', '{param.key}'],
      job('a', { parameters: { key: 'k' } }),
      'w-0',
      {},
    );
    expect(read).toEqual({
      ok: false,
      problem: 'the command needs {param.url}, but the stream does not have it',
    });
  });

  it('parameters do not overwrite the variables of the worker itself', () => {
    const read = commandFor(
      ['run'],
      job('a', { parameters: { STREAM: 'b', '../PATH': 'x' } }),
      'w-0',
      {},
    );
    expect(read.ok && read.command.env).toMatchObject({
      SWARM_STREAM: 'a',
      SWARM_PARAM_STREAM: 'b',
      SWARM_PARAM____PATH: 'x',
    });
  });

  it('a command keeps any name of a stream inside its word', () => {
    const names = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...hostileNames, '{weight}', '{stream}', '$&', "$'"),
    );
    fc.assert(
      fc.property(names, names, (stream, url) => {
        const read = commandFor(template, job(stream, { parameters: { url } }), 'w-0', {});
        expect(read.ok && read.command.args).toEqual([
          `--in=${stream}`,
          'w-0',
          '0',
          url,
          '{other}',
          `{${stream}}`,
        ]);
      }),
    );
  });
});
