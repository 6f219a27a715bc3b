// A user may write any number of replicas: is a pool with too many stalled before anything is built
// for each?
import { describe, expect, it } from '@jest/globals';
import { MOST_WORKERS } from '../../../../src/api/bounds.ts';
import { decidePool, desiredIn } from '../../../../src/pool/decide.ts';
import { checkPreconditions } from '../../../../src/pool/preconditions.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import { conditionOf, jobsOf, NOW, pod, stepsOf, world } from '../../../support/pool-worlds.ts';

const HUGE = 2_147_483_647;

const withReplicas = (at: PoolWorld, ...replicas: readonly number[]): PoolWorld => {
  const [target] = at.targets;
  if (target === undefined) throw new Error('no target');
  return {
    ...at,
    targets: replicas.map((count, index) => ({
      ...target,
      name: `worker${index}`,
      replicas: count,
    })),
  };
};
const asDeployment = (at: PoolWorld): PoolWorld => ({
  ...at,
  targets: at.targets.map((target) => ({ ...target, kind: 'Deployment' as const })),
});
const leading = (replicas?: number) =>
  world({ spec: { workers: { targetRef: { name: 'worker' }, scaling: 'Lead', replicas } } });

describe('more workers than a pool can have', () => {
  it.each<[string, PoolWorld, number]>([
    ['of a StatefulSet', withReplicas(world(), HUGE), HUGE],
    ['of a Deployment that is paused', asDeployment(withReplicas(world(), HUGE)), HUGE],
    ['by one', withReplicas(world(), MOST_WORKERS + 1), MOST_WORKERS + 1],
    ['of several targets together', withReplicas(world(), MOST_WORKERS, 1), MOST_WORKERS + 1],
    [
      'beyond any number',
      withReplicas(world(), ...Array.from({ length: 5 }, () => HUGE)),
      5 * HUGE,
    ],
    ['under scaling Lead, whose size is taken over', withReplicas(leading(), HUGE), HUGE],
    [
      'that exist, whatever is wanted',
      {
        ...world(),
        pods: Array.from({ length: 2 * MOST_WORKERS + 1 }, (_, ordinal) => pod(ordinal)),
      },
      2 * MOST_WORKERS + 1,
    ],
  ])('too many workers %s stall the pool, with the number and the bound', (_, at, count) => {
    const next = carriedOut(at, decidePool(at, NOW));
    for (const type of ['Ready', 'Stalled']) {
      expect(conditionOf(next, type)).toMatchObject({
        reason: 'TooManyWorkers',
        message: expect.stringContaining(`${count} workers`),
      });
      expect(conditionOf(next, type)?.message).toContain(`a pool can have at most ${MOST_WORKERS}`);
    }
    expect(next.pool.status?.replicas).toBeLessThanOrEqual(HUGE);
  });

  it('too many workers leave the publication in force, and the pool continues once they are fewer', () => {
    const rest = settled(world());
    const at = withReplicas(rest, HUGE);
    const decision = decidePool(at, NOW);
    expect(stepsOf(decision)).toEqual(['status', 'event']);
    const after = settled({ ...carriedOut(at, decision), targets: rest.targets });
    expect(jobsOf(after)).toEqual(jobsOf(rest));
    expect(conditionOf(after, 'Stalled')?.status).toBe('False');
  });

  it('a target with too many replicas does not block scaling Lead with a size of its own', () => {
    const at = withReplicas(leading(2), HUGE);
    expect(checkPreconditions(at).ok).toBe(true);
    // Nothing is made of so many.
    expect(desiredIn(decidePool(at, NOW))?.workers).toHaveLength(2 + at.pods.length);
  });
});

it('as many workers as a pool can have do not block it, wherever their ordinals begin', () => {
  expect(checkPreconditions(withReplicas(world({ firstOrdinal: HUGE }), MOST_WORKERS)).ok).toBe(
    true,
  );
});
