// Do facts flow one way? What is observed follows from what was read and from what caches answer,
// and what a decision leaves to the next world is part of its value.
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import { observePool } from '../../../../src/pool/observe.ts';
import { nothingRemembered } from '../../../../src/pool/world.ts';
import { Workloads } from '../../../../src/runtime/store/workloads.ts';
import { settled } from '../../../support/pool-decisions.ts';
import { NOW, pod, withStreams, world } from '../../../support/pool-worlds.ts';
import { configMap, gathering, tv, workers } from './gathering.ts';

const KEY = 'swarm/tv';

const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
};

describe('the world of a pool', () => {
  const at = settled(world());
  const sources = {
    clock: { monotonic: () => 5_000 },
    caches: {
      targets: {
        meantBy: () => at.targets,
        otherKindTargetsOf: () => [],
        autoscalerOfPool: () => undefined,
      },
      workloads: new Workloads(),
      noted: { highest: () => 3, completedIn: () => undefined },
      formerWorkers: { podsOf: () => [pod(0)], endingOf: () => [] },
      rivalsOf: () => [],
    },
    workers: { answersOf: () => at.answers, unprobedOf: () => new Set<string>() },
    creations: undefined,
  };
  const before = { remembered: frozen(nothingRemembered), refused: undefined };
  const { pool, published, lists, predecessor } = at;
  const whole = frozen({ kind: 'Whole', pool, published, lists, predecessor } as const);

  it('a pool that is observed twice has the same world, and nothing that was read changes', () => {
    const observed = observePool(sources, KEY, whole, before);
    expect(observed).toMatchObject({ kind: 'SwarmPool', published, lists, highestSeen: 3 });
    expect(observePool(sources, KEY, whole, before)).toEqual(observed);
  });

  it('the world of a pool has what was remembered, and ages that follow from it', () => {
    const first = observePool(sources, KEY, whole, before);
    const later = { ...sources, clock: { monotonic: () => 7_000 } };
    const { remembered } = frozen(first);
    expect(observePool(later, KEY, whole, { remembered, refused: undefined })).toMatchObject({
      ages: { publishedMs: 2_000 },
    });
  });
});

it('a pool at rest that is read once more wakes nothing and keeps nothing more', async () => {
  const woken = new Map<string, string[]>();
  const lineup = configMap('lineup', { 'streams.txt': 'a\nb' });
  const streamsFrom = [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }];
  const assigned = configMap(
    'tv-assignments',
    { 'config.yml': 'workloads: {worker-0: {jobs: [a, b], version: 3}}\nversion: 3' },
    { labels: { 'k8slab.info/pool': 'tv' } },
  );
  const story = await gathering([tv({ streamsFrom }), workers(1), lineup, assigned], 1e9, woken);
  const first = await story.gather();
  const [wakes, kept, reads] = [JSON.stringify([...woken]), story.kept(), story.reads('ConfigMap')];
  const { ages: _, remembered: __, ...facts } = await story.gather();
  expect(first).toMatchObject(facts);
  expect([JSON.stringify([...woken]), story.kept(), story.reads('ConfigMap')]).toEqual([
    ...[wakes, kept, reads],
  ]);
  await story.stop();
});

it('a decision names the texts that it publishes, and the same texts for the same world', () => {
  const at = withStreams(settled(world()), 5);
  const { writes = [], steps } = decidePool(at, NOW);
  expect(writes).toHaveLength(1);
  for (const { shard, text } of writes)
    expect(steps).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ data: { [shard.key]: text } }) }),
    );
  expect(decidePool(at, NOW).writes).toEqual(writes);
  expect(decidePool(settled(at), NOW).writes).toBeUndefined();
});
