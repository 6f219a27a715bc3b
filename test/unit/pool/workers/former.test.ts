// What becomes of workers whose StatefulSet is no target of the pool any more?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  retargeted,
  slicesOf,
  stepsOf,
  withoutTarget,
  withPod,
  withSpec,
  world,
} from '../../../support/pool-worlds.ts';

const exclusive = { handoff: { type: 'Exclusive' } };
const running = (spec: object = exclusive): PoolWorld =>
  settled(world({ streams: 4, workers: 2, spec: { ...spec } }));
const decide = (at: PoolWorld): ReturnType<typeof decidePool> => decidePool(at, NOW);
const next = (at: PoolWorld): PoolWorld => carriedOut(later(at), decide(later(at)));
const later = (at: PoolWorld): PoolWorld => ({ ...at, ages: { ...at.ages, publishedMs: 10_000 } });
const releasingOf = (at: PoolWorld): object =>
  Object.fromEntries([...slicesOf(at)].map(([worker, { releasing = [] }]) => [worker, releasing]));
const condition = (at: PoolWorld, type: string): object | undefined =>
  at.pool.status?.conditions?.find((it) => it.type === type);
const stateOf = (at: PoolWorld, name: string): object | undefined =>
  at.pool.status?.workers?.find((it) => it.name === name);
const told = (at: PoolWorld): readonly string[] =>
  decide(later(at)).steps.flatMap((step) => (step.do === 'annotate' ? [step.pod.name] : []));

describe('former workers with handoff Exclusive', () => {
  const moved = (): PoolWorld => retargeted(running(), 'other');

  it('with Exclusive former workers release their streams before another worker gets them', () => {
    const at = next(moved());
    expect(jobsOf(at)).toEqual({ 'worker-0': [], 'worker-1': [], 'other-0': [], 'other-1': [] });
    expect(releasingOf(at)).toEqual({
      'worker-0': ['s0', 's1'],
      'worker-1': ['s2', 's3'],
      'other-0': [],
      'other-1': [],
    });
    expect(told(moved())).toEqual(expect.arrayContaining(['worker-0', 'worker-1']));
    expect(decide(at).probes.map(({ podUid }) => podUid)).toEqual(
      expect.arrayContaining(['uid-0', 'uid-1']),
    );
  });

  it('with Exclusive former workers hand over what they have confirmed, one by one', () => {
    const released = confirmed(next(moved()), [1]);
    const at = next(released);
    expect(releasingOf(at)).toMatchObject({ 'worker-0': ['s0', 's1'] });
    expect([...(jobsOf(at)['other-0'] ?? []), ...(jobsOf(at)['other-1'] ?? [])].sort()).toEqual([
      's2',
      's3',
    ]);
    expect(jobsOf(at)).not.toHaveProperty('worker-1');
  });

  it('status names former workers, and is neither Ready nor Converged until all is handed over', () => {
    const at = next(next(moved()));
    expect(condition(at, 'Ready')).toMatchObject({ status: 'False' });
    expect(condition(at, 'Converged')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('worker-0 Releasing'),
    });
    expect(stateOf(at, 'worker-0')).toMatchObject({ state: 'Releasing' });
    const done = settled(moved());
    expect(condition(done, 'Ready')).toMatchObject({
      status: 'True',
      message: '2 workers confirmed version 3',
    });
    expect(Object.keys(jobsOf(done))).toEqual(['other-0', 'other-1']);
    expect(Object.values(jobsOf(done)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
  });

  it('with Exclusive a silent former worker keeps its streams until its pod has ended', () => {
    const silent = next(
      confirmed(next({ ...moved(), answers: { 'uid-0': { ok: false, reason: 'timeout' } } }), [1]),
    );
    const at = next(silent);
    expect(releasingOf(at)).toMatchObject({ 'worker-0': ['s0', 's1'] });
    expect(stateOf(at, 'worker-0')).toMatchObject({
      message: 'has not confirmed that it released s0, s1; it does not answer (timeout)',
    });
    const ended = settled(withPod(at, 0, { hasEnded: true }));
    expect(Object.values(jobsOf(ended)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
  });

  it('with Exclusive former workers keep their streams until the first new worker is Ready', () => {
    const waiting = next(retargeted(running(), 'other', 2, { isReady: false }));
    expect(jobsOf(waiting)).toMatchObject({
      'worker-0': ['s0', 's1'],
      'worker-1': ['s2', 's3'],
      'other-0': [],
      'other-1': [],
    });
    const at = next(confirmed(waiting));
    expect(stateOf(at, 'worker-0')).toMatchObject({
      message: expect.stringContaining('keeps its streams until'),
    });
    expect(condition(at, 'Ready')).toMatchObject({ status: 'False' });
  });

  it('workers keep their streams while the pool has no target', () => {
    const at = withoutTarget(running());
    expect(stepsOf(decide(at))).toEqual(['status', 'event']);
    expect(condition(next(at), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'TargetNotFound',
    });
  });

  it('former workers are workers again when the pool names them again before their release', () => {
    const away = next(moved());
    const back: PoolWorld = {
      ...away,
      targets: running().targets,
      pods: away.formerPods,
      formerPods: away.pods,
    };
    const at = settled(back);
    expect(Object.keys(jobsOf(at))).toEqual(['worker-0', 'worker-1']);
    expect(Object.values(jobsOf(at)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
  });
});

describe('former workers with handoff AtLeastOnce', () => {
  it('with AtLeastOnce new workers get the streams at once, and former workers are told to stop', () => {
    const moved = retargeted(running({}), 'other');
    const at = next(moved);
    expect(jobsOf(at)).toEqual({
      'worker-0': [],
      'worker-1': [],
      'other-0': ['s0', 's1'],
      'other-1': ['s2', 's3'],
    });
    expect(told(moved)).toEqual(expect.arrayContaining(['worker-0', 'worker-1']));
    expect(condition(settled(moved), 'Ready')).toMatchObject({ status: 'True' });
  });

  it('a Deployment takes over from a StatefulSet, and its pods get slots of their own', () => {
    const moved = retargeted(running({}), 'other');
    const deployment = moved.targets.map((target) => ({ ...target, kind: 'Deployment' as const }));
    const at = settled(
      withSpec(
        { ...moved, targets: deployment },
        { workers: { targetRef: { kind: 'Deployment', name: 'other' } } },
      ),
    );
    expect([...slicesOf(at)].map(([name, { slot }]) => [name, slot])).toEqual([
      ['other-0', 0],
      ['other-1', 1],
    ]);
  });
});

describe('former workers with probe None', () => {
  const none = { probe: { type: 'None' } };
  const entries = (at: PoolWorld): readonly string[] => [...slicesOf(at).keys()];
  const earlier = ['worker-0', 'worker-1'];
  const replaced = (at: PoolWorld): PoolWorld => ({
    ...at,
    formerPods: at.formerPods.map((pod) => ({
      ...pod,
      uid: `${pod.uid}-new`,
      assigned: undefined,
    })),
  });

  it('with probe None former workers keep their streams until the first new worker is Ready', () => {
    const at = next(retargeted(running(none), 'other', 2, { isReady: false }));
    expect(jobsOf(at)).toMatchObject({ 'worker-0': ['s0', 's1'], 'worker-1': ['s2', 's3'] });
  });

  it('with probe None former workers are told to stop, and stay until their pods are replaced', () => {
    const moved = retargeted(running(none), 'other');
    expect(told(moved)).toEqual(expect.arrayContaining(earlier));
    const at = next(next(moved));
    expect(jobsOf(at)).toMatchObject({ 'worker-0': [], 'worker-1': [] });
    expect(condition(at, 'Ready')).toMatchObject({ status: 'False' });
    expect(stateOf(at, 'worker-0')).toMatchObject({
      state: 'Releasing',
      message: expect.stringContaining('its pod must be replaced'),
    });
    expect(entries(next(replaced(at)))).toEqual(['other-0', 'other-1']);
  });

  it('with probe None former workers are replaced by the operator under refresh Restart', () => {
    const ready = (pods: PoolWorld['pods']) => pods.map((pod) => ({ ...pod, isReady: true }));
    let at = retargeted(running({ ...none, refresh: { mode: 'Restart' } }), 'other');
    const evicted: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const step of decide(later(at)).steps)
        if (step.do === 'evict') evicted.push(step.pod.name);
      at = next(at);
      at = { ...at, pods: ready(at.pods), formerPods: ready(at.formerPods) };
    }
    expect(evicted).toEqual(expect.arrayContaining(earlier));
    expect(entries(at)).toEqual(['other-0', 'other-1']);
    expect(condition(at, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('former workers that are probed no more are nudged again, and are not forgotten', () => {
    const unasked = withSpec(next(retargeted(running({}), 'other')), none);
    const at = next({ ...unasked, answers: {} });
    expect(entries(at)).toEqual(expect.arrayContaining(earlier));
    const ages = { ...at.ages, publishedMs: 10_000, answersMs: 1_000 };
    const annotatedMs = Object.fromEntries(at.formerPods.map(({ uid }) => [uid, 1_000]));
    expect(told({ ...at, ages: { ...ages, annotatedMs } })).toEqual(earlier);
    expect(entries(next(replaced(at)))).toEqual(['other-0', 'other-1']);
    const asked = settled(withSpec(at, { probe: { type: 'HTTPGet' } }));
    expect(entries(asked)).toEqual(['other-0', 'other-1']);
    expect(condition(asked, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('a pod with the name of a worker that no target owns', () => {
  it('a pod whose StatefulSet was deleted and made anew is a worker as long as it lives', () => {
    const before = running();
    const anew: PoolWorld = {
      ...before,
      pods: [],
      formerPods: before.pods.map((pod) => ({ ...pod, ownerUid: 'gone', isTerminating: true })),
    };
    expect(stepsOf(decide(later(anew)))).not.toContain('patch');
    const at = next(anew);
    expect(condition(at, 'Converged')).toMatchObject({ status: 'False' });
    expect(jobsOf(at)).toEqual(jobsOf(before));
  });
});

describe('pools that target each other’s workers', () => {
  const waiting = (isMutual: boolean): PoolWorld => ({
    ...retargeted(running(), 'other'),
    predecessor: { pool: 'radio', workers: ['other-0', 'other-1'], isMutual },
  });

  it('a pool waits for another pool to release its target, and keeps what it published', () => {
    const at = waiting(false);
    expect(stepsOf(decide(at))).toEqual(['status', 'event']);
    expect(condition(carriedOut(at, decide(at)), 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TargetConflict',
      message:
        'SwarmPool radio had StatefulSet/other before; waiting for other-0, other-1 to release all of its streams',
    });
  });

  it('pools that wait for each other write no ConfigMap of another owner', () => {
    const at = withSpec(waiting(true), { assignments: { configMapName: 'foreign' } });
    const foreign = {
      ...{ name: 'foreign', namespace: 'swarm', uid: 'theirs', resourceVersion: '1' },
      ...{ labels: {}, annotations: {}, data: { 'config.yml': 'theirs' } },
    };
    const { steps } = decide(withConfigMap(at, foreign));
    const names = steps.flatMap((step) => ('ref' in step ? [step.ref.name] : []));
    expect(names).not.toContain('foreign');
  });

  it('pools that wait for each other release their streams', () => {
    const at = settled(waiting(true));
    expect(jobsOf(at)).toEqual({});
    expect(condition(at, 'Stalled')).toMatchObject({ status: 'True', reason: 'TargetConflict' });
    const free = settled({ ...at, predecessor: undefined });
    expect(Object.values(jobsOf(free)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
    expect(condition(free, 'Ready')).toMatchObject({ status: 'True' });
  });
});
