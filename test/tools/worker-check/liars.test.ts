// For each kind of broken worker the check names the broken promise; for an honest one it says that
// all are kept.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { PromiseId } from '../../../src/conformance/promises.ts';
import { brokenBy } from './check.ts';

const liar = fileURLToPath(new URL('./liar.ts', import.meta.url));
/** The check waits for what a liar never does; an honest worker needs its time to end. */
const times = { patienceMs: 5_000, quietMs: 700, graceMs: 3_000 };
const honest = { ...times, graceMs: 60_000 };
const commandOf = (lie: string): string => `exec '${process.execPath}' '${liar}' '${lie}'`;
const broken = (lie: string, isExclusive: boolean): Promise<readonly PromiseId[]> =>
  brokenBy(commandOf(lie), { ...times, isExclusive });

describe('a worker that', () => {
  it('an honest worker breaks no promise', async () =>
    expect(await brokenBy(commandOf(''), honest)).toEqual([]));

  it.concurrent('an honest worker that listens very late breaks no promise', async () =>
    expect(
      await brokenBy(`sleep ${times.patienceMs / 1000 + 1}; ${commandOf('')}`, {
        ...honest,
        isExclusive: false,
      }),
    ).toEqual([]));

  const rows: [lie: string, promise: PromiseId][] = [
    ['answers garbage', 'answers'],
    ['answers slowly', 'answers'],
    ['tells streams twice', 'jobs'],
    ['is somebody else', 'pod-uid'],
    ['is never well', 'health'],
    ['answers anything', 'steadfast'],
    ['starts at version 5', 'empty'],
    ['takes what is not its own', 'takes-up'],
    ['ignores removals', 'lets-go'],
    ['starts all anew at every change', 'keeps'],
    ['confirms too early', 'true'],
    ['counts on', 'true'],
    ['runs names', 'names'],
    ['forgets all at a broken file', 'last-good'],
    ['forgets all at a missing file', 'last-good'],
    ['takes up an older file', 'last-good'],
    ['goes on without an entry', 'no-entry'],
    ['starts nothing again', 'restarts'],
    ['starts again without a pause', 'restarts'],
    ['starts what is not permitted', 'fence'],
    ['does not drain', 'drains'],
    ['ends with an error', 'drains'],
    ['leaves a process behind', 'drains'],
    ['tells what a parameter says', 'tells'],
    ['tells that what runs has failed', 'tells'],
    ['tells nothing of a crash', 'tells'],
    ['tells of thousands', 'tells'],
    ['confirms a restart without doing it', 'token'],
    ['never confirms a restart', 'token'],
    ['restarts for an old token', 'token'],
  ];
  // Most of a trial is waiting: several at a time take no longer than one.
  it.concurrent.each(rows)('a worker that %s breaks the promise %s', async (lie, promise) =>
    expect(await broken(lie, promise === 'fence')).toContain(promise),
  );
});
