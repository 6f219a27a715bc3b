// What is computed again in each pass over the jobs of a namespace, and what is kept?
import { describe, expect, it } from '@jest/globals';
import type { SwarmJob } from '../../../../src/api/validate.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { statusSteps } from '../../../../src/queue/status.ts';
import type { QueueWorld, WaitingJob } from '../../../../src/queue/world.ts';
import { atRest, jobOf, NOW, queueOf, runOf, worldOf } from '../../../support/queue-worlds.ts';

const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

const waiting = { status: { state: 'Waiting' } };
/** For no pod at all: every job waits. */
const queue = queueOf({ pods: '0' });

const waitingIn = (world: QueueWorld): ReadonlyMap<string, WaitingJob> =>
  new Map(decideQueues(world, NOW).desired?.waiting.map((job) => [job.name, job]));

/** Counts how often its template is read. */
function watched(job: SwarmJob): { readonly job: SwarmJob; readonly reads: () => number } {
  if (!job.spec.ok) throw new Error('its spec is not valid');
  let count = 0;
  const value = Object.defineProperty({ ...job.spec.value }, 'template', {
    get: () => {
      count += 1;
      return undefined;
    },
  });
  return { job: { ...job, spec: { ok: true, value } }, reads: () => count };
}

describe('a pass over the jobs of a namespace', () => {
  it('does not read the template of an unchanged job again', () => {
    const all = names(100, 'j').map((name) => watched(jobOf(name, {}, waiting)));
    const world = atRest(worldOf({ queues: [queue], jobs: all.map(({ job }) => job) }));
    const before = all.map(({ reads }) => reads());
    expect(before.every((count) => count > 0)).toBe(true);
    expect(decideQueues(world, NOW).desired?.waiting.length).toBe(100);
    expect(all.map(({ reads }) => reads())).toEqual(before);
  });

  it('uses the requests of the last pass, unless the job or the defaults of its queue have changed', () => {
    const jobs = [jobOf('a', {}, waiting), jobOf('b', {}, waiting)];
    const run = runOf('c', { swarmJobUid: undefined, grant: undefined, isSuspended: true });
    const world = atRest(worldOf({ queues: [queue], jobs, runs: [run] }));
    const first = waitingIn(world);
    expect([...first.keys()].sort()).toEqual(['a', 'b', 'c']);
    const changed = { ...world, jobs: [jobOf('a', { size: 2 }, waiting), ...jobs.slice(1)] };
    const second = waitingIn(changed);
    expect(second.get('a')?.size).toBe(2);
    expect(second.get('b')).toBe(first.get('b'));
    expect(second.get('c')).toBe(first.get('c'));
    const jobDefaults = { priority: 7, activeDeadlineSeconds: 60 };
    const others = waitingIn({ ...changed, queues: [queueOf({ pods: '0' }, { jobDefaults })] });
    expect(
      [...others.values()].map(({ priority, deadlineSeconds }) => [priority, deadlineSeconds]),
    ).toEqual([
      [7, 60],
      [7, 60],
      [7, undefined],
    ]);
  });

  it('looks at each waiting job once for the statuses of all queues together', () => {
    const queues = names(50, 'q').map((name) => queueOf({ pods: '0' }, {}, name));
    const jobs = names(200, 'j').map((name, at) =>
      jobOf(name, { queueName: `q${at % 50}` }, waiting),
    );
    const world = atRest(worldOf({ queues, jobs }));
    const { desired } = decideQueues(world, NOW);
    if (desired === undefined) throw new Error('nothing was decided');
    let reads = 0;
    const counted = desired.waiting.map((job) =>
      Object.defineProperty({ ...job }, 'queue', {
        get: () => {
          reads += 1;
          return job.queue;
        },
      }),
    );
    expect(statusSteps(world, { ...desired, waiting: counted }, NOW).steps).toEqual([]);
    expect(reads).toBe(200);
  });
});
