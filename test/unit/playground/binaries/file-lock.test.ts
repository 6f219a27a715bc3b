// A lock between processes, also when its holder was killed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { withFileLock } from '../../../../src/playground/binaries/file-lock.ts';
import { eventually } from '../../../support/processes.ts';

let folder: string;
let lock: string;
let waitedFor: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lock-test-'));
  lock = path.join(folder, 'lock');
  waitedFor = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const locked = <T>(work: () => Promise<T>): Promise<T> =>
  withFileLock(lock, (holder) => waitedFor.push(holder), work);

it('a file lock lets one process work at a time, and names the holder that it waits for', async () => {
  let working = 0;
  const work = async (): Promise<void> => {
    expect(++working).toBe(1);
    await eventually('the two others wait, or have waited', () => waitedFor.length === 2);
    working--;
  };
  await Promise.all([locked(work), locked(work), locked(work)]);
  expect(waitedFor).toEqual([String(process.pid), String(process.pid)]);
  expect(readdirSync(folder)).toEqual([]);
});

it('a file lock is released after a failure', async () => {
  const failing = locked(() => Promise.reject(new Error('of purpose')));
  await expect(failing).rejects.toThrow('of purpose');
  expect(await locked(async () => existsSync(lock))).toBe(true);
});

it('a file lock takes over the lock of a process that has ended', async () => {
  writeFileSync(lock, String(spawnSync('true').pid));
  await locked(async () => undefined);
  expect(waitedFor).toEqual([]);
});

it('a file lock takes over an old lock, though its pid is in use again', async () => {
  writeFileSync(lock, String(process.ppid));
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(lock, longAgo, longAgo);
  await locked(async () => undefined);
  expect(waitedFor).toEqual([]);
});
