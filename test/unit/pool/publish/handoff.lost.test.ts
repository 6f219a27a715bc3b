// With Exclusive, which worker gets a stream when the ConfigMap was lost, edited or restored?
import { describe, expect, it } from '@jest/globals';
import { ANYTHING } from '../../../../src/api/assignment.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  nothingPublished,
  retargeted,
  scaled,
  slicesOf,
  streamNames,
  withPod,
  withStreams,
} from '../../../support/pool-worlds.ts';
import { decide, exclusive, says, step } from './exclusive.ts';

describe('handoff Exclusive', () => {
  const elsewhere = [...streamNames(4).map((name) => ({ name })), { name: 's4', ordinal: 1 }];
  const toldAndLost = (): PoolWorld => {
    // s4 goes to worker-0 with version 2, which was nudged, and has not confirmed it when the
    // ConfigMap is lost.
    const given = step(withStreams(settled(exclusive()), 5));
    expect(jobsOf(given)['worker-0']).toContain('s4');
    return withStreams({ ...given, published: nothingPublished }, elsewhere);
  };

  it('Exclusive gives a stream of a lost version to no other worker before its worker follows a newer one', () => {
    const again = step(toldAndLost());
    expect(Object.values(jobsOf(again)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
    expect(slicesOf(again).get('worker-0')?.releasing).toEqual([ANYTHING]);
    const next = settled(again);
    expect(Object.values(jobsOf(next)).flat().sort()).toEqual(['s0', 's1', 's2', 's3', 's4']);
    expect([...slicesOf(next).values()].flatMap(({ releasing = [] }) => releasing)).toEqual([]);
  });

  it('Exclusive gives a stream of a lost version to the one worker that may still start it', () => {
    const lost = withStreams(toldAndLost(), 5);
    expect(jobsOf(step(lost))['worker-0']).toContain('s4');
  });

  it('Exclusive gives a stream that an editor took out to no other worker while the first may run it', () => {
    const given = step(withStreams(settled(exclusive()), 5));
    const [first] = given.published.shards;
    if (first === undefined) throw new Error('nothing is published');
    const text = (first.configMap.data['config.yml'] ?? '').replace(/^ +- s4\n/m, '');
    const edited = withStreams(
      withConfigMap(given, { ...first.configMap, data: { 'config.yml': text } }),
      elsewhere,
    );
    const next = step(edited);
    expect(jobsOf(next)['worker-1']).not.toContain('s4');
    expect(Object.values(jobsOf(settled(next))).flat()).toContain('s4');
  });

  it('Exclusive gives a stream that an editor took from a silent worker to no other worker', () => {
    const taken = step(retargeted(settled(exclusive()), 'other'));
    const silent = { ...taken, answers: { 'uid-0': { ok: false, reason: 'timeout' } as const } };
    expect(slicesOf(silent).get('worker-0')).toMatchObject({ jobs: [], releasing: ['s0', 's1'] });
    const untold = { ...silent, formerPods: settled(exclusive()).pods };
    const [first] = untold.published.shards;
    if (first === undefined) throw new Error('nothing is published');
    const text = (first.configMap.data['config.yml'] ?? '').replace(/^ +- s0\n/m, '');
    const next = step(withConfigMap(untold, { ...first.configMap, data: { 'config.yml': text } }));
    expect(slicesOf(next).get('worker-0')?.releasing).toContain(ANYTHING);
    expect(Object.values(jobsOf(next)).flat()).not.toContain('s0');
  });

  it('Exclusive with a lost ConfigMap gives no stream until all workers have reported what they run', () => {
    const at = { ...settled(exclusive()), published: nothingPublished, answers: {} };
    const blind = step(at);
    expect(Object.values(jobsOf(blind)).flat()).toEqual([]);
    const known = settled(says(says(at, 0, 1, ['s0', 's2']), 1, 1, ['s1', 's3']));
    expect(jobsOf(known)).toEqual({ 'worker-0': ['s0', 's2'], 'worker-1': ['s1', 's3'] });
  });

  it('Exclusive with a lost ConfigMap waits for a silent worker, and names it', () => {
    const lost = { ...settled(exclusive()), published: nothingPublished };
    const silent = {
      ...lost,
      answers: { ...lost.answers, 'uid-1': { ok: false, reason: 'connect ETIMEDOUT' } as const },
    };
    const next = step(step(step(silent)));
    expect(next.published.shards).toEqual([]);
    expect(conditionOf(next, 'Ready')).toMatchObject({
      reason: 'WorkersUnknown',
      message: expect.stringContaining('worker-1'),
    });
    expect(decide(next).probes).toHaveLength(2);
    const ended = withPod(next, 1, { hasEnded: true });
    expect(Object.values(jobsOf(settled(ended))).flat()).toHaveLength(4);
  });

  it('Exclusive with an older ConfigMap believes its workers, and gives away no stream of theirs', () => {
    const at = settled(withStreams(settled(exclusive()), ['s0', 's1', 's2', 's3', 's4']));
    const old =
      'workloads: {worker-0: {jobs: [s2, s3], version: 1}, worker-1: {jobs: [s0, s1], version: 1}}\nversion: 1\n';
    const [first] = at.published.shards;
    if (first === undefined) throw new Error('nothing is published');
    const restored = withConfigMap(at, { ...first.configMap, data: { 'config.yml': old } });
    expect(step({ ...restored, answers: {} }).published.shards[0]?.configMap.data).toEqual({
      'config.yml': old,
    });
    const next = step(restored);
    for (const [worker, jobs] of Object.entries(jobsOf(next))) {
      const running = Object.entries(jobsOf(at))
        .filter(([other]) => other !== worker)
        .flatMap(([, others]) => others);
      expect(jobs.filter((job) => running.includes(job))).toEqual([]);
    }
  });

  describe('a restored etcd', () => {
    /**
     * Version 2 gave s4 to one of them; status, ConfigMap and annotations are of version 1 again.
     */
    const setBack = (): { readonly then: PoolWorld; readonly now: PoolWorld } => {
      const before = settled(exclusive());
      const then = settled(withStreams(before, 5));
      return {
        then,
        now: {
          ...before,
          pool: { ...before.pool, spec: then.pool.spec },
          answers: then.answers,
          highestSeen: 2,
        },
      };
    };

    it('after a restore of etcd each worker keeps what it reports, and gets nothing new before all follow', () => {
      const { then, now } = setBack();
      const next = step(now);
      expect(jobsOf(next)).toEqual(jobsOf(then));
      expect(
        [...slicesOf(next).values()].map(({ version, releasing }) => [version, releasing]),
      ).toEqual([
        [3, [ANYTHING]],
        [3, [ANYTHING]],
      ]);
      const wanting = step(withStreams(now, 6));
      expect(jobsOf(wanting)).toEqual(jobsOf(then));
      expect(Object.values(jobsOf(settled(wanting))).flat()).toContain('s5');
    });

    it('after a restore of etcd a stream that a worker was told and has not confirmed goes to no other worker', () => {
      const { now } = setBack();
      const untold = { ...now, answers: settled(exclusive()).answers };
      expect(Object.values(jobsOf(step(untold))).flat()).not.toContain('s4');
    });

    it('after a restore of etcd a pool waits for a pod without an address, but not for one without a node', () => {
      const { now } = setBack();
      const { 'uid-0': first, ...others } = now.answers;
      expect(first).toBeDefined();
      const unstarted = withPod({ ...now, answers: others }, 0, { ip: undefined, isReady: false });
      expect(step(unstarted).published).toEqual(now.published);
      expect(step(withPod(unstarted, 0, { trouble: 'Unschedulable' })).published).not.toEqual(
        now.published,
      );
    });

    it('after a restore of etcd a pool waits for a silent worker, and names it', () => {
      const { now } = setBack();
      const silent = {
        ...now,
        answers: { ...now.answers, 'uid-1': { ok: false, reason: 'connect ETIMEDOUT' } as const },
      };
      const next = step(step(silent));
      expect(next.published).toEqual(now.published);
      expect(conditionOf(next, 'Ready')).toMatchObject({
        reason: 'WorkersUnknown',
        message: expect.stringContaining('worker-1'),
      });
    });
  });

  it('with a lost ConfigMap a worker stops what it reports before another worker gets it', () => {
    const before = settled(exclusive(6, 2));
    const lost = { ...scaled(before, 3), published: nothingPublished };
    const next = step(lost);
    expect(jobsOf(next)['worker-2']).toEqual([]);
    expect([...slicesOf(next).values()].flatMap(({ releasing = [] }) => releasing)).toHaveLength(2);
  });
});
