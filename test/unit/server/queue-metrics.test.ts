// Do the metrics of a queue follow its decisions, and end with it?
import { beforeEach, expect, it } from '@jest/globals';
import { decideQueues } from '../../../src/queue/decide.ts';
import { keyOfQueues, type QueueWorld } from '../../../src/queue/world.ts';
import { Metrics } from '../../../src/server/metrics/metrics.ts';
import { carriedOut, jobOf, NOW, queueOf, worldOf } from '../../support/queue-worlds.ts';

let metrics: Metrics;

beforeEach(() => {
  metrics = new Metrics({ version: '1', commit: 'c', date: 'd' }, () => 0);
});

/** Decides three times, as the engine would, three seconds after the jobs were created. */
function looked(world: QueueWorld): QueueWorld {
  const now = NOW + 3_000;
  return [1, 2, 3].reduce((at) => {
    const decision = decideQueues(at, now);
    metrics.queues.decided(keyOfQueues('hpc'), { world: at, decision, now, tookMs: 1 });
    return carriedOut(at, decision);
  }, world);
}

async function figures(): Promise<Readonly<Record<string, number>>> {
  const text = await metrics.registry.metrics();
  const found = text.matchAll(
    /^swarm_queue_(\w+)\{namespace="hpc",queue="batch"(?:,\w+="(\w+)")?\} (.*)$/gm,
  );
  return Object.fromEntries(
    [...found].map(([, name, label = '', value]) => [`${name} ${label}`.trim(), Number(value)]),
  );
}

const cpus = { resources: { requests: { cpu: '500m' } } };
const world = worldOf({
  queues: [queueOf({ pods: '2', cpu: '8' })],
  jobs: [jobOf('a', { size: 2, ...cpus }), jobOf('b', cpus)],
});

it('the metrics of a queue show its quota, its use and its jobs', async () => {
  looked(world);
  expect(await figures()).toMatchObject({
    waiting_jobs: 1,
    admitted_jobs: 1,
    held_pods: 0,
    'quota pods': 2,
    'quota cpu': 8,
    'used pods': 2,
    'used cpu': 1,
    admissions_total: 1,
    wait_seconds_sum: 3,
    'jobs_ended_total Succeeded': 0,
  });
});

it('the metrics of a queue count a job that ended, by how', async () => {
  looked(world);
  const job = jobOf('a', {}, { status: { state: 'Running' } });
  const steps = [{ do: 'status', status: { state: 'Failed' } }];
  for (const at of [job, jobOf('a', {}, { status: { state: 'Failed' } })])
    metrics.jobs.decided('hpc/a', {
      world: { job: at } as never,
      decision: { steps } as never,
      now: NOW,
      tookMs: 1,
    });
  expect(await figures()).toMatchObject({ 'jobs_ended_total Failed': 1 });
});

it('the metrics of a resource end when the quota does not name it any more', async () => {
  const after = looked({ ...world, jobs: [] });
  looked({ ...after, queues: [queueOf({ pods: '2' })] });
  expect(Object.keys(await figures())).not.toContain('quota cpu');
});

it('the metrics of a queue end when it is deleted', async () => {
  const after = looked(world);
  looked({ ...after, queues: [] });
  expect(await figures()).toEqual({});
});
