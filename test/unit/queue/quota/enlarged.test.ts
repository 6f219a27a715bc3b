// Does a queue name the jobs whose pods request more than was admitted?
import { describe, expect, it } from '@jest/globals';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  atRest,
  jobOf,
  NOW,
  podOf,
  queueOf,
  runOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const request = (cpu: string) => ({ containers: [{ resources: { requests: { cpu } } }] });

/** Two jobs of two ranks with 2 cpu each are admitted; then these are their pods. */
function withPods(cpuOf: Readonly<Record<string, string>>): QueueWorld {
  const resources = { requests: { cpu: '2' } };
  const jobs = ['a', 'b'].map((name) => jobOf(name, { size: 2, resources }));
  const admitted = atRest(worldOf({ queues: [queueOf({ pods: '9', cpu: '20' })], jobs }));
  const pods = Object.entries(cpuOf).map(([job, cpu]) => podOf(job, { spec: request(cpu) }));
  return { ...admitted, runs: Object.keys(cpuOf).map((job) => runOf(job)), pods };
}

const readyIn = ({ queues: [queue] }: QueueWorld) =>
  queue?.status?.conditions?.find(({ type }) => type === 'Ready');

describe('a webhook that makes pods larger', () => {
  it('the queue counts an enlarged pod, names its job, and keeps admitting jobs', () => {
    const world = withPods({ a: '3', b: '2' });
    const events = decideQueues(world, NOW).steps.filter((step) => step.do === 'event');
    expect(events).toMatchObject([{ event: { type: 'Warning', reason: 'PodsEnlarged' } }]);
    const rest = atRest(world);
    expect(readyIn(rest)).toMatchObject({
      status: 'True',
      reason: 'PodsEnlarged',
      message: 'pods request more than was admitted: a 3 cpu instead of 2 cpu',
    });
  });

  it('a queue names a resource that was not admitted at all', () => {
    const world = withPods({ b: '2' });
    const [pod] = world.pods.map((it) => ({
      ...it,
      spec: { ...request('2'), overhead: { memory: '64Mi' } },
    }));
    const rest = atRest({ ...world, pods: pod === undefined ? [] : [pod] });
    expect(readyIn(rest)?.message).toContain('b 64Mi memory instead of 0 memory');
  });

  it.each([
    ['as large as admitted', { a: '2', b: '2' }],
    ['smaller', { a: '500m' }],
    ['not there yet', {}],
  ])('a queue is Admitting while the pods of its jobs are %s', (_, cpuOf) => {
    expect(readyIn(atRest(withPods(cpuOf)))).toMatchObject({ reason: 'Admitting' });
  });
});
