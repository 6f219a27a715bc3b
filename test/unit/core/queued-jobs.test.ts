// What do jobs know of their queues, also when one of the two kinds does not run?
import { expect, it } from '@jest/globals';
import { QueuedJobs } from '../../../src/core/queued-jobs.ts';

const job = { namespace: 'hpc', name: 'sim', uid: 'sim-uid' };
const paused = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };

it('a job of queues that do not run knows no epoch, and no reason to wait', () => {
  const queuedJobs = new QueuedJobs();
  expect([queuedJobs.epochIn('hpc'), queuedJobs.verdictOn(job)]).toEqual([undefined, undefined]);
});

it('queues that decide keep their epoch until it ends, each namespace its own', () => {
  const queuedJobs = new QueuedJobs();
  let count = 0;
  const newEpoch = (): string => {
    count += 1;
    return `leader-${count}`;
  };
  const begin = (namespace: string): string => queuedJobs.beginEpoch(namespace, newEpoch);
  expect(['hpc', 'web', 'hpc'].map(begin)).toEqual(['leader-1', 'leader-2', 'leader-1']);
  queuedJobs.endEpoch('hpc');
  expect(['hpc', 'web'].map((name) => queuedJobs.epochIn(name))).toEqual([undefined, 'leader-2']);
  expect(begin('hpc')).toBe('leader-3');
});

it('a verdict is kept for jobs that do not listen yet, and taken back by the queues alone', () => {
  const queuedJobs = new QueuedJobs();
  queuedJobs.setVerdict(job, paused);
  const told: string[] = [];
  queuedJobs.listen(({ name }) => told.push(name));
  expect([queuedJobs.verdictOn(job), told]).toEqual([paused, []]);
  queuedJobs.setVerdict(job, { ...paused });
  queuedJobs.setVerdict({ ...job, uid: 'earlier-uid' }, undefined);
  expect([queuedJobs.verdictOn(job), told]).toEqual([paused, []]);
  queuedJobs.setVerdict(job, undefined);
  expect([queuedJobs.verdictOn(job), told]).toEqual([undefined, ['sim']]);
});

it('a verdict means nothing for the next job of the same name', () => {
  const queuedJobs = new QueuedJobs();
  queuedJobs.setVerdict(job, paused);
  expect(queuedJobs.verdictOn({ ...job, uid: 'next-uid' })).toBeUndefined();
  queuedJobs.replaced(job, job.uid);
  expect(queuedJobs.verdictOn(job)).toEqual(paused);
  queuedJobs.replaced(job, undefined);
  expect(queuedJobs.verdictOn(job)).toBeUndefined();
});
