// Which file of a mounted Secret does the process of a stream get?
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandFor, type ReadCommand } from '../../../src/worker/launch/command.ts';
import { withSecretFile } from '../../../src/worker/launch/secret-file.ts';
import { hostileNames, job } from './builders.ts';

const root = mkdtempSync(join(tmpdir(), 'swarm-secrets-'));
const folder = join(root, 'secrets');

beforeAll(() => {
  // As a kubelet mounts a Secret.
  mkdirSync(join(folder, '..1'), { recursive: true });
  writeFileSync(join(folder, '..1', 'cam-1'), 'viewer:hunter2\n');
  symlinkSync('..1', join(folder, '..data'));
  symlinkSync('..data/cam-1', join(folder, 'cam-1'));
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(root, 'outside'), 'of the container');
});

afterAll(() => rmSync(root, { recursive: true }));

function startOf(parameters: Record<string, string>, at: string | undefined): ReadCommand {
  const stream = job('a', { parameters });
  return withSecretFile(commandFor(['run'], stream, 'w-0', {}), stream, at);
}

function fileOf(parameters: Record<string, string>, at: string | undefined): string | undefined {
  const read = startOf(parameters, at);
  return read.ok ? read.command.env['SWARM_SECRET_FILE'] : read.problem;
}

describe('the secret of a stream', () => {
  it('a process gets the path of the key that its stream names, and no content', () => {
    const read = startOf({ secretKey: 'cam-1' }, folder);
    if (!read.ok) throw new Error(read.problem);
    expect(read.command.env['SWARM_SECRET_FILE']).toBe(join(folder, 'cam-1'));
    expect(JSON.stringify([read.command.args, read.command.env])).not.toContain('hunter2');
    expect(read.command.secret).toBe('viewer:hunter2');
  });

  it('a process gets no secret without the parameter or without the setting', () => {
    expect(fileOf({}, folder)).toBeUndefined();
    expect(fileOf({ secretKey: '../outside' }, undefined)).toBeUndefined();
  });

  it.each([
    '',
    '.',
    '..',
    '..data',
    '../outside',
    '..data/cam-1',
    '/etc/passwd',
    'inner/x',
    'cam-1\n',
    'cam-1\0',
    'a'.repeat(254),
    ...hostileNames.filter((name) => /[^-.\w]/.test(name)),
  ])('a stream cannot start with the key %j, which no Secret can have', (secretKey) =>
    expect(fileOf({ secretKey }, folder)).toMatch(/^the parameter secretKey is ".*not a key of/),
  );

  it.each(['cam-2', 'inner', '__proto__'])(
    'a stream cannot start when its key %j is no file, and the problem names key and folder',
    (secretKey) =>
      expect(fileOf({ secretKey }, folder)).toBe(
        `the parameter secretKey names the key ${secretKey}, but there is no file of that name that the worker can read in ${folder}; add the key to the mounted Secret`,
      ),
  );
});
