// Families of processes, and their end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  endProcesses,
  familyOf,
  listProcesses,
  type ProcessEntry,
} from '../../../src/playground/processes/processes.ts';
import { living } from '../../support/processes.ts';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/**
 * Runs a shell script in a group of its own; the script prints the pids that the test is interested
 * in.
 */
async function run(script: string, lines: number): Promise<{ pid: number; printed: number[] }> {
  const child = spawn('/bin/bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const printed = await firstLines(child.stdout, lines);
  if (child.pid === undefined) throw new Error('bash did not start');
  return { pid: child.pid, printed: printed.map(Number) };
}

async function firstLines(stream: Readable, count: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stream }))
    if (lines.push(line) === count) break;
  return lines;
}

describe('familyOf', () => {
  const entry = (pid: number, parent: number, group = pid): ProcessEntry => ({
    pid,
    parent,
    group,
  });
  it.each<[string, number[], ProcessEntry[], number[]]>([
    ['the process itself', [10], [entry(10, 1), entry(11, 1)], [10]],
    [
      'children of children, in whatever order they are listed',
      [10],
      [entry(12, 11, 10), entry(11, 10, 10), entry(10, 1)],
      [10, 11, 12],
    ],
    [
      'children in groups of their own, and the other processes of those groups',
      [10],
      [entry(10, 1), entry(11, 10), entry(12, 1, 11)],
      [10, 11, 12],
    ],
    ['the rest of a group whose leader has ended', [10], [entry(11, 1, 10)], [11]],
    [
      'without its parent, and without other processes of the parent’s group',
      [10],
      [entry(5, 1), entry(10, 5, 5), entry(11, 5, 5)],
      [10],
    ],
    ['empty when the process has ended', [10], [entry(1, 0), entry(20, 1)], []],
  ])('a family of processes is %s', (_, roots, processes, expected) => {
    const pids = familyOf(new Set(roots), processes).map(({ pid }) => pid);
    expect(pids.sort((a, b) => a - b)).toEqual(expected);
  });
});

it('listProcesses lists this process with its parent', () => {
  expect(listProcesses()).toContainEqual(
    expect.objectContaining({ pid: process.pid, parent: process.ppid }),
  );
});

describe('endProcesses', () => {
  it('endProcesses lets a process handle SIGTERM', async () => {
    const { pid, printed } = await run('trap "exit 0" TERM; sleep 600 & echo $!; wait', 1);
    const exit = once(children[0] ?? process, 'exit');
    await endProcesses([pid], 600_000);
    expect(await exit).toEqual([0, null]);
    expect(living(printed)).toEqual([]);
  });

  it('endProcesses kills processes that ignore SIGTERM, and those that have left the group', async () => {
    const { pid, printed } = await run(
      'trap "" TERM; setsid sleep 600 & echo $!; sleep 600 & echo $!; wait',
      2,
    );
    expect(living(printed)).toHaveLength(2);
    await endProcesses([pid], 100);
    expect(living([pid, ...printed])).toEqual([]);
  });

  it('endProcesses kills after the grace period when it was stalled for longer', async () => {
    const { pid } = await run('trap "" TERM; echo $$; while :; do sleep 0.1; done', 1);
    const ended = endProcesses([pid], 50);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    await ended;
    expect(living([pid])).toEqual([]);
  });

  it('endProcesses returns at once when no process is left', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    await endProcesses([child.pid ?? 0], 60_000);
  });
});
