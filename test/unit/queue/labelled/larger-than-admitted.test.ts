// Is a batch Job with the label of a queue started as it was admitted? Until its start, users may
// change its size, and since Kubernetes 1.36 what its pods request.
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { noDefaults } from '../../../../src/core/completed-pod.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { amountsIn } from '../../../../src/queue/quota/text.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  NOW,
  queueOf,
  runOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const queue = queueOf({ pods: '4', cpu: '4', 'nvidia.com/gpu': '1' });
const plain = (requests: object, over: Partial<BatchJob> = {}): BatchJob =>
  runOf('night', {
    ...{ swarmJobUid: undefined, grant: undefined, isSuspended: true, active: 0, ready: 0 },
    podSpec: { containers: [{ resources: { requests } }] },
    ...over,
  });

/** The ledger has its entry, for two cpu; and then the Job is so. */
function admittedAnd(job: BatchJob, over: Partial<QueueWorld> = {}): QueueWorld {
  const world = worldOf({ queues: [queue], runs: [plain({ cpu: '2' })] });
  const made = carriedOut(world, decideQueues(world, NOW));
  return { ...carriedOut(made, decideQueues(made, NOW)), runs: [job], ...over };
}

const isStarted = (world: QueueWorld): boolean =>
  decideQueues(world, NOW).steps.some(
    (step) => step.do === 'patch' && JSON.stringify(step.body).includes('"suspend":false'),
  );

describe('a batch Job that its user changes between its admission and its start', () => {
  it.each([
    ['more', { cpu: '4' }],
    ['another resource', { cpu: '2', 'nvidia.com/gpu': '1' }],
  ])('a batch Job that then requests %s is not started, and is admitted again', (_, requests) => {
    const world = admittedAnd(plain(requests));
    expect(isStarted(world)).toBe(false);
    const rest = atRest(world);
    expect(rest.ledger?.entries).toMatchObject([{ name: 'night', requests, grant: 4 }]);
    expect(rest.runs).toMatchObject([{ isSuspended: false, grant: 4 }]);
  });

  it('a batch Job that requests more than the quota gives its quota back, and waits', () => {
    const rest = atRest(admittedAnd(plain({ cpu: '5' })));
    expect(admittedIn(rest)).toEqual([]);
    expect(rest.queues[0]?.status?.waiting).toMatchObject([{ reason: 'TooLargeEver' }]);
  });

  it('a batch Job whose requests cannot be read any more is not started, and gives its quota back', () => {
    const tooLarge = 'its pods name more than 32 resources';
    const world = admittedAnd(plain({}, { podSpec: undefined, tooLarge }));
    expect(isStarted(world)).toBe(false);
    expect(admittedIn(atRest(world))).toEqual([]);
  });

  it('a batch Job that then requests less, or the same amount in another unit, is started', () => {
    for (const cpu of ['1', '2000m', '2.0'])
      expect(isStarted(admittedAnd(plain({ cpu })))).toBe(true);
  });

  it('a batch Job that takes more because of a new LimitRange is started, since a start under way would succeed', () => {
    const podDefaults = { ...noDefaults, requests: amountsIn({ memory: '1Gi' }) };
    expect(isStarted(admittedAnd(plain({ cpu: '2' }), { podDefaults }))).toBe(true);
  });
});
