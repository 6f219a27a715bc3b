// Progress of work that takes minutes.
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { withProgress } from '../../../../src/playground/binaries/progress.ts';

let written: string;

beforeEach(() => {
  jest.useFakeTimers();
  written = '';
});

afterEach(() => {
  jest.useRealTimers();
});

async function build(isTTY: boolean, seconds: number, fails = false): Promise<void> {
  const output = {
    isTTY,
    write: (text: string): void => {
      written += text;
    },
  };
  const work = async (): Promise<void> => {
    await jest.advanceTimersByTimeAsync(seconds * 1_000);
    if (fails) throw new Error('of purpose');
  };
  await withProgress(output, 'building', work);
}

it('the progress is written to a log at the start, every 30 s and at the end', async () => {
  await build(false, 65);
  expect(written).toBe('building …\nbuilding … 30 s\nbuilding … 60 s\nbuilding: done after 65 s\n');
});

it('the progress updates one line of a terminal every second', async () => {
  await build(true, 2);
  expect(written.split('\r\u001b[K')).toEqual([
    '',
    'building …',
    'building … 1 s',
    'building … 2 s',
    'building: done after 2 s\n',
  ]);
});

it('the progress fits in one line of a terminal of any width', async () => {
  const output = {
    isTTY: true,
    columns: 40,
    write: (text: string): void => {
      written += text;
    },
  };
  const what = 'building etcd v3.6.8, kube-apiserver v1.36.3, kubectl v1.36.3';
  await withProgress(output, what, async (report) => {
    report('7 of 2467 packages');
    await jest.advanceTimersByTimeAsync(1_000);
  });
  const lines = written.split('\r\u001b[K').slice(1, -1);
  expect(lines).toEqual([
    'building etcd v3.6.8, kube-apiserver …',
    'building etcd … 7 of 2467 packages, 1 s',
  ]);
  expect(lines.every(({ length }) => length < 40)).toBe(true);
});

it('the progress reports a failure, and then stops', async () => {
  await expect(build(false, 5, true)).rejects.toThrow('of purpose');
  await jest.advanceTimersByTimeAsync(60_000);
  expect(written).toBe('building …\nbuilding: failed after 5 s\n');
});
