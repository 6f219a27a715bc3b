import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeAtomically } from '../../../../src/playground/node/volumes/atomic-writer.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'atomic-writer-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const noon = new Date('2026-01-31T12:00:00Z');
const write = (files: Record<string, string>): Promise<boolean> =>
  writeAtomically(
    dir,
    new Map(
      Object.entries(files).map(([name, text]) => [name, { data: Buffer.from(text), mode: 0o640 }]),
    ),
    noon,
  );

describe('a volume', () => {
  it('a volume has the layout of a kubelet', async () => {
    expect(await write({ 'config.yml': 'a', 'deep/er/file': 'b' })).toBe(true);
    expect(readlinkSync(path.join(dir, '..data'))).toMatch(/^\.\.2026_01_31_12_00_00\.\d+$/);
    expect(readlinkSync(path.join(dir, 'config.yml'))).toBe('..data/config.yml');
    expect(readlinkSync(path.join(dir, 'deep'))).toBe('..data/deep');
    expect(readFileSync(path.join(dir, 'deep/er/file'), 'utf8')).toBe('b');
    expect(statSync(path.join(dir, 'config.yml')).mode & 0o777).toBe(0o640);
  });

  it('a volume changes as a whole, and keeps no old file', async () => {
    await write({ stays: '1', goes: '1' });
    const before = readlinkSync(path.join(dir, '..data'));
    expect(await write({ stays: '2', comes: '2' })).toBe(true);
    expect(readlinkSync(path.join(dir, '..data'))).not.toBe(before);
    expect(
      readdirSync(dir).filter((name) => name !== readlinkSync(path.join(dir, '..data'))),
    ).toEqual(['..data', 'comes', 'stays']);
  });

  it('a volume is not written when nothing has changed, which wakes no watcher', async () => {
    await write({ a: '1' });
    const before = lstatSync(path.join(dir, '..data')).ctimeMs;
    expect(await write({ a: '1' })).toBe(false);
    expect(lstatSync(path.join(dir, '..data')).ctimeMs).toBe(before);
  });

  it('a volume can be empty, and keeps files of others', async () => {
    mkdirSync(path.join(dir, 'mount-point'));
    await write({ a: '1' });
    await write({});
    expect(readdirSync(dir).filter((name) => !name.startsWith('..'))).toEqual(['mount-point']);
  });
});
