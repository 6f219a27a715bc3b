// Fuzzed: the command template of swarm-worker, and the commands that it makes for streams with
// hostile names and parameters.
import { checkTemplate, commandFor, splitTemplate } from '../../../src/worker/launch/command.ts';
import { hostileNames } from '../../unit/worker/builders.ts';
import {
  asData,
  behindScripts,
  misplaced,
  spellings,
  unknown,
  wrappers,
} from '../../unit/worker/templates.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const names = [...hostileNames.filter((name) => name.length < 100), '$&', "$'", '$1'];

/** Programs that the user has named: so the fuzzer gets behind them, too. */
const literal = ['a', 'run'];

/** A template with more words is filled with two names only. */
const MANY_WORDS = 1_000;

function check(text: string): string {
  const read = splitTemplate(text, literal);
  mustBeSame(splitTemplate(text, literal), read, 'two readings differ');
  must(
    read.ok || !splitTemplate(text).ok,
    'a program that is named gets less than one that is not',
  );
  if (!read.ok) {
    mustBeMessage(read.problem);
    return outcomeOf(read.problem);
  }
  const { template } = read;
  mustBeSame(checkTemplate(template, literal), read, 'as words it is another template');
  mustBeSame(
    splitTemplate(template.map(quoted).join(' '), literal),
    read,
    'written between quotes it reads otherwise',
  );
  const keys = new Set(
    template.flatMap((word) =>
      [...word.matchAll(/\{param\.([^{}]+)\}/g)].map(([, key = '']) => key),
    ),
  );
  for (const stream of template.length > MANY_WORDS ? names.slice(0, 2) : names) {
    const parameters = Object.fromEntries([...keys].map((key) => [key, `{stream}${stream}`]));
    const filled = commandFor(template, { stream, weight: 5, parameters }, 'w-0', { PATH: '/bin' });
    must(filled.ok, 'a template with all its parameters is refused', () =>
      filled.ok ? '' : filled.problem,
    );
    const { file, args, env } = filled.command;
    must(args.length === template.length - 1, 'a name becomes an argument');
    must(
      file === template[0]?.replaceAll('{worker}', 'w-0').replaceAll('{weight}', '5'),
      'a name chooses the program',
      () => file,
    );
    for (const [at, word] of template.slice(1).entries())
      if (!/\{/.test(word)) must(args[at] === word, 'a name changes a word that does not have it');
    must(
      env['SWARM_STREAM'] === stream && env['PATH'] === '/bin',
      'a parameter replaces a variable of the runtime',
    );
  }
  const bare = commandFor(template, { stream: 'a', weight: 0, parameters: {} }, 'w-0', {});
  must(bare.ok === (keys.size === 0), 'a parameter is missing, and no problem says so');
  if (!bare.ok) mustBeMessage(bare.problem);
  return `ok ${Math.min(4, template.length)} ${Math.min(2, keys.size)}`;
}

export const template: Target = {
  name: 'template',
  files: [
    'src/worker/launch/command.ts',
    'src/worker/launch/code-injection.ts',
    'src/worker/launch/data-programs.ts',
    'src/worker/launch/programs.ts',
  ],
  form: 'text',
  seeds: [
    ...asData.slice(0, 25),
    ...misplaced,
    ...[...behindScripts, ...unknown.map(([, text]) => text), ...spellings].filter(
      (_, index) => index % 9 === 0,
    ),
    ...wrappers.map((wrapper) => `${wrapper} sh script.sh {stream}`),
    'ffmpeg -i {stream} -o {worker} --weight {weight} --url={param.url}',
    `sh -c 'run "$1"' sh {stream}`,
    `a 'b c' "d \\"e\\" \\$f" g\\ h`,
    'a --url=http://x/{param.path}?q={stream}',
    'python3 -u script.py -- {stream}',
    'env -i A=b node --enable-source-maps script.mjs {param.url}',
    'xargs -0 bash -ec true',
    'rsync -a -- {stream} folder',
    'bun run file.ts {stream}',
    'timeout 5 true --flag {stream}',
  ],
  large: () => [
    `a ${'b '.repeat(65_000)}`,
    `sh ${'-x '.repeat(40_000)}{stream}`,
    `a "${'\\'.repeat(130_000)}`,
    `env ${'A=b '.repeat(30_000)}sh -c {stream}`,
    `a ${'{param.'.repeat(18_000)}`,
    `${'a '.repeat(60_000)}sh -c {stream}`,
    `${'env '.repeat(32_000)}{stream}`,
    `${'nice env timeout 5 '.repeat(6_000)}sh -c {stream}`,
    `ffmpeg ${'-i {stream} '.repeat(9_000)}-f null -`,
    `curl ${'-x a '.repeat(25_000)}http://a/{stream}`,
  ],
  words: [
    '{stream}',
    '{worker}',
    '{weight}',
    '{param.url}',
    '{param.',
    '{',
    '}',
    'sh',
    '-c',
    '/bin/bash',
    'python3.12',
    'node',
    '--eval=',
    '-e',
    'env',
    '-S',
    '--',
    ' ',
    "'",
    '"',
    '\\',
    '`',
    '$(',
    '$',
    '${',
    '|',
    '&',
    ';',
    '<',
    '>',
    '~',
    '*',
    'script.sh',
    'ffmpeg',
    '-i',
    '-f',
    'curl',
    'http://',
    '-u',
    'tail',
    'run',
    'perl',
    'ruby',
    'busybox',
    '-x',
  ],
  longest: 131_072,
  read: (text) => splitTemplate(text, literal),
  check,
};
