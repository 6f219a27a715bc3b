// Does the shell of a rank have the variables of its launcher, in each shell of this machine?
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shellWords } from '../../../../src/cli/job/shell-script.ts';
import { shells } from '../../../support/shells.ts';

describe.each(shells)('in $name', ({ file, words, argv0 }) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'swarm-shell-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const typed = (command: readonly string[], input = '', env: NodeJS.ProcessEnv = process.env) => {
    const [, ...rest] = shellWords(command);
    const all = [...words, ...rest.map((word) => word.replaceAll('/run/swarm', folder))];
    const { status, stdout, stderr } = spawnSync(file, all, {
      argv0,
      input,
      env,
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };

  /** As the start script of the rank does. */
  const keepVariables = (text: string): void => {
    const script = `${text}\nexport -p >"${folder}/env"`;
    expect(spawnSync(file, [...words, '-c', script], { argv0 }).status).toBe(0);
  };

  it('a command has the variables of the launcher, and its own words and exit code', () => {
    keepVariables('export FLUX_URI="local:///run/x y" SWARM_TASKS=4; readonly SWARM_TASKS');
    const script = 'printf "%s|" "$FLUX_URI" "$SWARM_TASKS" "$@"; echo problem >&2; exit 3';
    expect(typed(['sh', '-c', script, 'sh', 'a b', '*'])).toEqual({
      code: 3,
      stdout: 'local:///run/x y|4|a b|*|',
      stderr: 'problem\n',
    });
  });

  it('a shell has the variables, and reads its input to the end', () => {
    keepVariables('export SWARM_TASKS=4');
    expect(typed([], 'echo "$SWARM_TASKS"\nexit 5\n')).toEqual({
      code: 5,
      stdout: '4\n',
      stderr: '',
    });
    expect(typed([], 'echo last').stdout).toBe('last\n');
  });

  it('variables that bash does not let anyone set end no shell', () => {
    keepVariables('export SHELLOPTS SWARM_TASKS=4');
    const said = { code: 0, stdout: '4\n', stderr: '' };
    expect(typed(['sh', '-c', 'echo "$SWARM_TASKS"'])).toEqual(said);
    expect(typed([], 'echo "$SWARM_TASKS"\n')).toEqual(said);
  });

  it('a rank of another launcher has no such file, and it is just a shell', () => {
    expect(typed(['echo', 'here'])).toEqual({ code: 0, stdout: 'here\n', stderr: '' });
    expect(typed([], 'echo here')).toEqual({ code: 0, stdout: 'here\n', stderr: '' });
  });

  it('a file that the user may not read is left out', () => {
    keepVariables('export SWARM_TASKS=4');
    chmodSync(`${folder}/env`, 0o000);
    expect(typed(['echo', 'here'])).toEqual({ code: 0, stdout: 'here\n', stderr: '' });
  });

  it('a command that the image does not have is named', () => {
    const { code, stderr } = typed(['flux-none']);
    expect(code).toBe(127);
    expect(stderr).toContain('flux-none');
  });

  it('the shell is bash where there is one, else sh', () => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/sh', path.join(bin, 'sh'));
    const which = 'echo "$BASH_VERSION" "$0"';
    // Else bash takes the socket for that of rshd, and reads ~/.bashrc.
    const env = { PATH: bin, SHLVL: '2' };
    expect(typed([], which, env).stdout).toMatch(/ sh\n$/);
    symlinkSync('/bin/bash', path.join(bin, 'bash'));
    expect(typed([], which, env).stdout).toMatch(/^\d.* bash\n$/);
  });
});
