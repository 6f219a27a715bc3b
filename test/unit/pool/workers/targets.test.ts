import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import { conditionOf, jobsOf, NOW, pod, world } from '../../../support/pool-worlds.ts';

/** A second StatefulSet `extra` of two workers beside `worker` of two. */
function two(spec: Readonly<Record<string, unknown>> = {}): PoolWorld {
  const at = world({ streams: 8, workers: 2, spec });
  const [first] = at.targets;
  if (first === undefined) throw new Error('no target');
  const second = { ...first, name: 'extra', uid: 'extra-uid', selector: 'app=extra' };
  const pods = [0, 1].map((ordinal) =>
    pod(ordinal, { name: `extra-${ordinal}`, uid: `extra-uid-${ordinal}`, ownerUid: 'extra-uid' }),
  );
  return { ...at, targets: [second, first], pods: [...at.pods, ...pods] };
}

const workers = { selector: { matchLabels: { app: 'worker' } } };

describe('several StatefulSets under one selector', () => {
  it('several StatefulSets under one selector are one pool of workers', () => {
    const at = settled(two());
    expect(Object.entries(jobsOf(at)).map(([worker, jobs]) => [worker, jobs.length])).toEqual([
      ['extra-0', 2],
      ['extra-1', 2],
      ['worker-0', 2],
      ['worker-1', 2],
    ]);
    expect(at.pool.status).toMatchObject({
      replicas: 4,
      convergedReplicas: 4,
      target: 'StatefulSet/extra,StatefulSet/worker',
    });
    expect(at.pool.status?.selector).toBeUndefined();
    expect(decidePool(at, NOW).steps).toEqual([]);
  });

  it('a StatefulSet that is gone leaves its streams to the others', () => {
    const at = settled(two());
    const next = settled({
      ...at,
      targets: at.targets.slice(1),
      pods: at.pods.filter(({ name }) => name.startsWith('worker')),
    });
    expect(Object.keys(jobsOf(next))).toEqual(['worker-0', 'worker-1']);
    expect(Object.values(jobsOf(next)).flat()).toHaveLength(8);
  });

  it.each([
    [
      'a size',
      { workers: { ...workers, scaling: 'Lead', replicas: 3 } },
      'spec.workers.scaling: Lead',
    ],
    ['a cordon', { workers: { ...workers, cordoned: [1] } }, 'spec.workers.cordoned'],
    ['a pin', { streams: [{ name: 'a' }, { name: 'b', ordinal: 1 }] }, 'spec.streams[1].ordinal'],
  ])('%s is refused where several StatefulSets leave open which one is meant', (_, spec, field) => {
    const at = two(spec);
    expect(conditionOf(carriedOut(at, decidePool(at, NOW)), 'Stalled')).toMatchObject({
      reason: 'AmbiguousTarget',
      message: `${field} needs a single target, but spec.workers selects StatefulSet/extra, StatefulSet/worker`,
    });
  });
});
