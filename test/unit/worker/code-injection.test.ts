// Is a template refused exactly where a stream's name could run as code? A table of interpreters
// and their spellings.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../src/worker/launch/code-injection.ts';
import { checkTemplate, commandFor, splitTemplate } from '../../../src/worker/launch/command.ts';
import { programOf } from '../../../src/worker/launch/programs.ts';
import { job } from './builders.ts';
import { behindScripts, besidePlainPrograms, spellings, wrappers } from './templates.ts';

const isAllowed = (text: string): boolean => {
  const read = splitTemplate(text);
  if (read.ok) return true;
  expect(read.problem).toMatch(/would run as code|lets the stream choose the program/);
  return false;
};

describe('behind a plain program a name may be an argument, or a part of one', () => {
  it.each(besidePlainPrograms)('%s', (text) => expect(isAllowed(text)).toBe(true));
});

describe('behind an interpreter a name may follow its script', () => {
  it.each(behindScripts)('%s', (text) => expect(isAllowed(text)).toBe(true));
});

describe('what would run as code is refused', () => {
  it.each(spellings)('%s', (text) => expect(isAllowed(text)).toBe(false));

  it('and the message names the template, the argument, and what is allowed instead', () => {
    expect(refusalOf(['/usr/bin/env', 'sh', '-cx', 'run {param.url}; sleep 1', 'a'])).toBe(
      'puts a name or parameter where it would run as code: "run {param.url}; sleep 1", argument 3 of: /usr/bin/env sh -cx ' +
        '"run {param.url}; sleep 1" a (it is before the script of sh); allowed is sh -c \'SCRIPT\' sh {stream} or sh FILE {stream}, ' +
        'or a script that reads SWARM_STREAM',
    );
    expect(refusalOf(['timeout', '--often', '9', 'run', '{stream}'])).toContain(
      'what follows the option --often of timeout is not known here',
    );
  });

  it('and the templates that the message proposes are allowed', () => {
    const programs = [...spellings, ...wrappers]
      .flatMap((text) => text.split(' ').map(programOf))
      .filter((it) => it !== undefined);
    const proposed = [...new Set(programs.flatMap(({ allowed }) => allowed))];
    expect(proposed.length).toBeGreaterThan(25);
    expect(proposed.filter((text) => !isAllowed(text))).toEqual([]);
  });

  it('but not the worker’s own name or a weight', () =>
    expect(isAllowed("sh -c 'run {worker} {weight}'")).toBe(true));
});

describe('what is allowed runs nothing, whatever a stream is called', () => {
  const folder = mkdtempSync(join(tmpdir(), 'swarm-foreign-'));
  const trace = join(folder, 'was-here');
  const script = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const at = {
    sh: script('x.sh', ': "$@"\n'),
    mjs: script('x.mjs', 'process.argv;\n'),
    py: script('x.py', 'pass\n'),
    pl: script('x.pl', '1;\n'),
    tcl: script('x.tcl', '\n'),
    awk: script('x.awk', '{ print }\n'),
    text: script('x.txt', 'text\n'),
  };
  const touch = `touch ${trace}`;
  const js = `require("fs").writeFileSync("${trace}","")`;
  const nodeOptions = [
    `--eval=${js}`,
    `--require=${at.text}`,
    `--import=data:text/javascript,import fs from "fs";fs.writeFileSync("${trace}","")`,
  ];
  const pythonOptions = [`-cimport os;os.system("${touch}")`];
  const common = [touch, `$(${touch})`, `-c${touch}`];
  const names: readonly string[] = [
    ...common,
    `;${touch}`,
    `|${touch}`,
    `${touch}|`,
    `-e${touch}`,
    `-esystem("${touch}")`,
    `-e1e ${touch}`,
    `--expression=1e ${touch}`,
    ...nodeOptions,
    `--source=BEGIN{system("${touch}")}`,
    `--to-command=${touch}`,
    `--checkpoint-action=exec=${touch}`,
    `-I${touch}`,
    `--upload-pack=${touch}`,
    ...pythonOptions,
    `x=$(${touch})`,
  ];
  /** What starts slowly is tried with the names that mean something to it. */
  const namesFor = (program = ''): readonly string[] =>
    program === 'node'
      ? [...common, ...nodeOptions]
      : program === 'python3'
        ? [...common, ...pythonOptions]
        : names;
  const templates: readonly (readonly string[])[] = [
    ['sh', '-c', ': "$@"', 'sh', '{stream}'],
    ['sh', '-c', ': "$@"', '{stream}'],
    ['sh', at.sh, '{stream}'],
    ['dash', '-ec', ':', '{stream}', '{stream}'],
    ['bash', '-euo', 'pipefail', '-c', ': "$@"', 'x', '{stream}'],
    ['node', at.mjs, '{stream}'],
    ['node', '--eval', '0', '--', '{stream}'],
    ['python3', '-c', 'pass', '{stream}'],
    ['python3', at.py, '{stream}'],
    ['perl', at.pl, '{stream}'],
    ['perl', '-e', '1', '--', '{stream}'],
    ['tclsh', at.tcl, '{stream}'],
    ['awk', '--', '{ print }', '{stream}'],
    ['awk', '-f', at.awk, '--', '{stream}'],
    ['sed', '-e', 'p', '--', '{stream}'],
    ['jq', '.', '--', '{stream}'],
    ['tar', '-tf', at.text, '--', '{stream}'],
    ['git', '-C', folder, 'ls-remote', '--', '{stream}'],
    ['env', 'A=b', 'nice', '-n', '1', 'sh', '-c', ':', 'sh', '{stream}'],
    ['timeout', '60', 'setsid', 'cat', '--', '{stream}'],
    ['stdbuf', '-oL', 'nohup', 'echo', '{stream}'],
  ];
  const there = templates.filter(
    ([program = '']) => spawnSync('sh', ['-c', 'command -v -- "$1"', 'sh', program]).status === 0,
  );

  afterAll(() => rmSync(folder, { recursive: true }));

  const isRunBy = (template: readonly string[], name: string): boolean => {
    const read = commandFor(template, job(name), 'w-0', {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_TERMINAL_PROMPT: '0',
    });
    if (!read.ok) throw new Error(read.problem);
    const { file, args, env } = read.command;
    spawnSync(file, [...args], { env, cwd: folder, stdio: 'ignore' });
    const was = existsSync(trace);
    rmSync(trace, { force: true });
    return was;
  };

  it.each(
    there.map((template) => [template.join(' ').replaceAll(`${folder}/`, ''), template] as const),
  )('%s', (_, template) => {
    expect(checkTemplate(template)).toMatchObject({ ok: true });
    const tried = namesFor(template[0]);
    expect(tried.filter((name) => isRunBy(template, name))).toEqual([]);
  });

  const refused: readonly (readonly string[])[] = [
    ['sh', '-cx', '{stream}'],
    ['env', '-S', 'sh -c "{stream}"'],
    ['node', '--eval={stream}'],
    ['node', '--eval', '0', '{stream}'],
  ];
  it.each(refused.map((template) => [template.join(' '), template] as const))(
    'unlike %s, which does run one',
    (_, template) => {
      expect(checkTemplate(template)).toMatchObject({ ok: false });
      expect([js, ...namesFor(template[0])].some((name) => isRunBy(template, name))).toBe(true);
    },
  );
});
