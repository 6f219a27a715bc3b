// Is a template allowed exactly where a stream's name is known to be data? A table of programs and
// their spellings.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { refusalOf, whyNotLiteral } from '../../../src/worker/launch/code-injection.ts';
import { checkTemplate, commandFor, splitTemplate } from '../../../src/worker/launch/command.ts';
import { dataProgramOf } from '../../../src/worker/launch/data-programs.ts';
import { programOf } from '../../../src/worker/launch/programs.ts';
import { job } from './builders.ts';
import { asData, behindScripts, misplaced, spellings, unknown, wrappers } from './templates.ts';

const isAllowed = (text: string, literal: readonly string[] = []): boolean => {
  const read = splitTemplate(text, literal);
  if (read.ok) return true;
  expect(read.problem).toMatch(
    /would run it as code|more than data|lets the stream choose the program/,
  );
  return false;
};

describe('a name may be an argument that a known program takes as data', () => {
  it.each(asData)(
    'the name of a stream is allowed as an argument that the program takes as data: %s',
    (text) => expect(isAllowed(text)).toBe(true),
  );
});

describe('a name is refused as an argument that a known program takes for more than data', () => {
  it.each(misplaced)(
    'the name of a stream is refused as an argument that the program takes for more than data: %s',
    (text) => expect(isAllowed(text)).toBe(false),
  );

  it('the refusal of a misplaced name shows the argument, the reason, and allowed templates', () => {
    expect(refusalOf(['curl', '-sN', '{param.url}'])).toBe(
      'puts a name or parameter where the program treats it as more than data: {param.url}, argument 2 of: curl -sN {param.url} ' +
        '(curl could treat it as an option, or as a file of addresses); allowed is curl -sN http://HOST/{stream} or ' +
        'curl --data-raw {stream} http://HOST, or a script that reads SWARM_PARAM_URL',
    );
  });

  it('the templates that the refusal of a misplaced name proposes are allowed', () => {
    const known = ['ffmpeg', 'ffprobe', 'curl', 'cat', 'tail', 'mosquitto_sub', 'gst-play-1.0'];
    const proposed = known.flatMap((name) => dataProgramOf(name)?.allowed ?? []);
    expect(proposed.length).toBeGreaterThanOrEqual(known.length);
    expect(proposed.filter((text) => !isAllowed(text))).toEqual([]);
  });
});

describe('an unknown program gets no name, unless the user declares that it takes names as data', () => {
  it.each(unknown)(
    'a name is refused for the unknown program %s, until a user declares that it takes names as data: %s',
    (program, text) => {
      expect(isAllowed(text)).toBe(false);
      expect(isAllowed(text, ['other'])).toBe(false);
      expect(isAllowed(text, [program])).toBe(true);
    },
  );

  it('a name is refused in any argument of an unknown program', () => {
    const word = fc.constantFrom(
      '-i',
      '--',
      'a',
      '--url',
      '-c',
      '/data/x',
      '--in={stream}',
      'a{stream}',
    );
    const names = fc.string({ minLength: 1 }).filter((name) => {
      const file = name.slice(name.lastIndexOf('/') + 1);
      return programOf(name) === undefined && dataProgramOf(file) === undefined;
    });
    fc.assert(
      fc.property(names, fc.array(word), (program, args) => {
        fc.pre(!program.includes('{'));
        expect(checkTemplate([program, ...args, '{stream}']).ok).toBe(false);
        expect(checkTemplate([program, ...args, '{param.x}', 'sh', 'x.sh']).ok).toBe(false);
      }),
    );
  });

  it('the refusal for an unknown program tells the user what to do, in one sentence', () => {
    const words = ['/usr/bin/gst-launch-1.0', 'rtspsrc', 'location={param.url}', '!', 'fakesink'];
    expect(refusalOf(words)).toBe(
      'passes {param.url} to gst-launch-1.0 (location={param.url}, argument 2), which may treat it as more than data. Let ' +
        'gst-launch-1.0 read SWARM_PARAM_URL from its environment; or run a script that does (sh FILE); or, if gst-launch-1.0 ' +
        'takes every argument as data, whatever a stream is called, set --literal-arguments gst-launch-1.0',
    );
    expect(refusalOf(['run', '--x={param.a-b} {stream}'])).toContain('read SWARM_PARAM_A_B from');
  });

  it('a user names a program by its file name, or by its whole path', () => {
    const template = '/app/bin/worker --in {stream}';
    expect(isAllowed(template, ['worker'])).toBe(true);
    expect(isAllowed(template, ['/app/bin/worker'])).toBe(true);
    expect(isAllowed(template, ['/app/worker'])).toBe(false);
    expect(isAllowed(template, ['work', 'WORKER', ''])).toBe(false);
  });

  it('a named program allows no name after an interpreter, or in options that run programs', () => {
    expect(isAllowed("run sh -c 'run {stream}'", ['run'])).toBe(false);
    expect(isAllowed('run --level 3 python3 {stream}', ['run'])).toBe(false);
    expect(isAllowed('tar -xf {stream}', ['tar'])).toBe(false);
    expect(isAllowed("sh -c '{stream}'", ['sh'])).toBe(false);
    expect(isAllowed('env {stream}', ['env'])).toBe(false);
    expect(isAllowed('xargs {stream}', ['xargs'])).toBe(false);
  });

  it.each(['sh', '/bin/bash', 'python3.12', 'env', 'timeout', 'xargs', 'ssh', 'psql'])(
    'a user cannot name %s, which runs its arguments',
    (program) => expect(whyNotLiteral(program)).toMatch(/runs what its arguments say/),
  );

  it('a user may name a known program, and then answers for it', () => {
    expect(isAllowed('ffmpeg -i {param.url} /data/{stream}.ts', ['ffmpeg'])).toBe(true);
    expect(whyNotLiteral('ffmpeg')).toBeUndefined();
    expect(whyNotLiteral('gst-launch-1.0')).toBeUndefined();
  });
});

describe('a name may follow the script of an interpreter', () => {
  it.each(behindScripts)(
    'the name of a stream may follow the script of an interpreter: %s',
    (text) => expect(isAllowed(text)).toBe(true),
  );
});

describe('a name that would run as code is refused', () => {
  it.each(spellings)(
    'the name of a stream is refused as an argument that would run as code: %s',
    (text) => expect(isAllowed(text)).toBe(false),
  );

  it('the refusal of code names the template, the argument, and allowed templates', () => {
    expect(refusalOf(['/usr/bin/env', 'sh', '-cx', 'run {param.url}; sleep 1', 'a'])).toBe(
      'puts a name or parameter where the program would run it as code: "run {param.url}; sleep 1", argument 3 of: /usr/bin/env sh -cx ' +
        '"run {param.url}; sleep 1" a (it is before the script of sh); allowed is sh -c \'SCRIPT\' sh {stream} or sh FILE {stream}, ' +
        'or a script that reads SWARM_PARAM_URL',
    );
    expect(refusalOf(['timeout', '--often', '9', 'cat', '{stream}'])).toContain(
      'the option --often of timeout is not known',
    );
  });

  it('the templates that the refusal of code proposes are allowed', () => {
    const programs = [...spellings, ...wrappers]
      .flatMap((text) => text.split(' ').map(programOf))
      .filter((it) => it !== undefined);
    const proposed = [...new Set(programs.flatMap(({ allowed }) => allowed))];
    expect(proposed.length).toBeGreaterThan(25);
    const named = ['PROGRAM', 'tar', 'rsync'];
    expect(proposed.filter((text) => !isAllowed(text, named))).toEqual([]);
  });

  it("the worker's own name and a weight are allowed in a script", () =>
    expect(isAllowed("sh -c 'run {worker} {weight}'")).toBe(true));
});

describe('an allowed template runs nothing, whatever the name of a stream', () => {
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
    config: script('x.curl', `output = "${trace}"\nurl = "file://${folder}/x.txt"\n`),
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
    `-o${trace}`,
    `--output=${trace}`,
    `-K${at.config}`,
    `@${at.config}`,
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
    ['cat', '--', '{stream}'],
    ['cat', `${folder}/{stream}`],
    ['tail', '-n', '1', '--', '{stream}'],
    ['curl', '-s', `http://127.0.0.1:4/{stream}`],
    ['curl', '-s', '--data-raw', '{stream}', '-u', '{stream}', 'http://127.0.0.1:4/'],
    ['env', 'A=b', 'nice', '-n', '1', 'sh', '-c', ':', 'sh', '{stream}'],
    ['timeout', '60', 'setsid', 'cat', '--', '{stream}'],
    ['stdbuf', '-oL', 'nohup', 'head', '--', '{stream}'],
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
  )('an allowed template runs no hostile name of a stream: %s', (_, template) => {
    expect(checkTemplate(template, ['tar', 'git'])).toMatchObject({ ok: true });
    const tried = namesFor(template[0]);
    expect(tried.filter((name) => isRunBy(template, name))).toEqual([]);
  });

  const refused: readonly (readonly string[])[] = [
    ['sh', '-cx', '{stream}'],
    ['env', '-S', 'sh -c "{stream}"'],
    ['node', '--eval={stream}'],
    ['node', '--eval', '0', '{stream}'],
    ['curl', '-s', `file://${folder}/x.txt`, '{stream}'],
    ['curl', '-s', '{stream}'],
  ];
  it.each(
    refused.map((template) => [template.join(' ').replaceAll(`${folder}/`, ''), template] as const),
  )(
    'a refused template does run a hostile name, or writes the file that it names: %s',
    (_, template) => {
      expect(checkTemplate(template)).toMatchObject({ ok: false });
      expect([js, ...namesFor(template[0])].some((name) => isRunBy(template, name))).toBe(true);
    },
  );
});
