import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import { ANNOTATION_RESTARTED, configMapsIn } from '../../../../src/pool/publish/config-map.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  stepsOf,
  streamNames,
  versionOf,
  withPod,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

const evictedBy = (at: PoolWorld): readonly string[] =>
  decide(at).steps.flatMap((step) => (step.do === 'evict' ? [step.pod.name] : []));

/**
 * Settled, then every stream renamed, so that every worker's slice changes; carried out up to the
 * publication.
 */
function changed(refresh: object, workers = 4): PoolWorld {
  const start = withSpec(settled(world({ streams: workers * 2, workers })), {
    refresh: { timeoutSeconds: 60, ...refresh },
  });
  const at = withStreams(settled(start), streamNames(workers * 2, 'new'));
  return carriedOut(at, decide(at));
}

const ready = (at: PoolWorld): PoolWorld => ({
  ...at,
  pods: at.pods.map((pod) => ({ ...pod, isReady: true })),
});

const later = (at: PoolWorld, ms: number): PoolWorld => ({
  ...at,
  ages: {
    publishedMs: ms,
    answersMs: ms,
    statusLagMs: 0,
    statusMs: 60_000,
    annotatedMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
    sliceMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
    unconfirmedMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
  },
});

describe('refresh by Restart', () => {
  it.each([
    [1, ['worker-0']],
    [3, ['worker-0', 'worker-1', 'worker-2']],
    ['50%', ['worker-0', 'worker-1']],
    ['1%', ['worker-0']],
    ['100%', ['worker-0', 'worker-1', 'worker-2', 'worker-3']],
  ])('refresh Restart replaces at most maxUnavailable %p at a time', (maxUnavailable, want) => {
    expect(evictedBy(changed({ mode: 'Restart', maxUnavailable }))).toEqual(want);
  });

  it('a pod that is to be replaced gets no nudge', () => {
    const at = withStreams(
      settled(withSpec(settled(world()), { refresh: { mode: 'Restart' } })),
      5,
    );
    expect(stepsOf(decide(at))).not.toContain('annotate');
  });

  it('the next pod is replaced only when the last is Ready and confirmed', () => {
    const first = changed({ mode: 'Restart' });
    const second = carriedOut(first, decide(first));
    expect(evictedBy(second)).toEqual([]);
    expect(evictedBy(ready(second))).toEqual([]);
    expect(evictedBy(confirmed(ready(second), [0]))).toEqual(['worker-1']);
  });

  it('refresh Restart replaces only pods whose slice changed', () => {
    const start = settled(
      withSpec(settled(world({ streams: 4, workers: 4 })), {
        refresh: { mode: 'Restart', maxUnavailable: 4 },
      }),
    );
    const at = withStreams(start, ['s0', 's1', 'other', 's3']);
    expect(evictedBy(carriedOut(at, decide(at)))).toEqual(['worker-2']);
  });

  it('an up-to-date pod is not replaced again when another change comes during a wave', () => {
    let at = changed({ mode: 'Restart', maxUnavailable: 2 });
    at = confirmed(ready(carriedOut(at, decide(at))), [0, 1]);
    const names = at.pool.spec.ok ? (at.pool.spec.value.streams ?? []).map(({ name }) => name) : [];
    const next = withStreams(at, [...names, 'one-more']);
    const published = carriedOut(next, decide(next));
    const replaced = new Set<string>();
    let step = published;
    for (let round = 0; round < 12; round += 1) {
      for (const name of evictedBy(step)) replaced.add(name);
      step = confirmed(
        ready(carriedOut(step, decide(step))),
        step.pods.flatMap(({ uid, name }) => (uid.endsWith('+') ? [Number(name.slice(-1))] : [])),
      );
    }
    expect([...replaced].sort()).toEqual(['worker-0', 'worker-2', 'worker-3']);
    expect(conditionOf(settled(step), 'Converged')?.status).toBe('True');
  });

  it('refresh Restart continues past a pod that came back but never confirms', () => {
    const at = changed({ mode: 'Restart' });
    const stuck = later(ready(carriedOut(at, decide(at))), 60_000);
    expect(evictedBy(stuck)).toEqual(['worker-1']);
  });

  it('refresh Restart waits for a pod that does not come back', () => {
    const at = changed({ mode: 'Restart' });
    expect(evictedBy(later(carriedOut(at, decide(at)), 600_000))).toEqual([]);
  });

  it('a pod that started with an older file is replaced once nudges had no effect', () => {
    const at = settled(
      withSpec(settled(world({ streams: 4, workers: 2 })), { refresh: { mode: 'Restart' } }),
    );
    const fresh = {
      ...withPod(at, 1, { uid: 'fresh' }),
      answers: { ...at.answers, fresh: { ok: true, report: { version: 0 } } as const },
    };
    const told = (attempt: number): PoolWorld =>
      withPod(fresh, 1, {
        assigned: JSON.stringify({ version: 1, uid: 'fresh', digest: 'd', attempt }),
      });
    expect(evictedBy(told(2))).toEqual([]);
    expect(evictedBy(told(3))).toEqual(['worker-1']);
    const next = carriedOut(told(3), decide(told(3)));
    const again = withPod(next, 1, {
      isReady: true,
      assigned: JSON.stringify({ version: 1, uid: 'fresh+', digest: 'd', attempt: 9 }),
    });
    expect(
      evictedBy({
        ...again,
        answers: { ...again.answers, 'fresh+': { ok: true, report: { version: 0 } } },
      }),
    ).toEqual([]);
  });

  it('a pod that is not Ready already is replaced before the others', () => {
    const at = withPod(changed({ mode: 'Restart' }), 3, { isReady: false });
    expect(evictedBy(at)).toEqual(['worker-3']);
  });
});

describe('refresh by Auto', () => {
  const deaf = (at: PoolWorld): PoolWorld => ({
    ...at,
    answers: Object.fromEntries(
      at.pods.map(({ uid }) => [uid, { ok: true, report: { version: 1 } } as const]),
    ),
  });

  it('refresh Auto nudges first, and replaces a worker that reports an old version for too long', () => {
    const at = changed({ mode: 'Auto' });
    expect(evictedBy(deaf(at))).toEqual([]);
    expect(evictedBy(later(deaf(at), 60_000))).toEqual(['worker-0']);
  });

  it('refresh Auto never replaces a silent worker', () => {
    const at = changed({ mode: 'Auto' });
    const silent = {
      ...at,
      answers: Object.fromEntries(
        at.pods.map(({ uid }) => [uid, { ok: false, reason: 'connection refused' } as const]),
      ),
    };
    const late = later(silent, 3_600_000);
    expect(evictedBy(late)).toEqual([]);
    expect(conditionOf(carriedOut(late, decide(late)), 'ProbeUnreachable')?.status).toBe('True');
  });

  /** The restart is noted, and the eviction fails. */
  const noted = (at: PoolWorld): PoolWorld => {
    const decision = decide(at);
    return carriedOut(at, {
      ...decision,
      steps: decision.steps.filter((step) => step.do === 'patch'),
    });
  };

  it('a pod is not nudged in the moment of its eviction, which would fail', () => {
    const at = later(deaf(changed({ mode: 'Auto', maxUnavailable: 4 })), 60_000);
    expect(stepsOf(decide(at))).not.toContain('annotate');
  });

  it('a failed eviction is tried again, and its restart is noted once', () => {
    const at = later(deaf(changed({ mode: 'Auto' })), 60_000);
    expect(stepsOf(decide(at))).toContain('patch');
    expect(evictedBy(noted(at))).toEqual(['worker-0']);
    expect(stepsOf(decide(noted(at)))).not.toContain('patch');
  });

  it('a restart that was noted without the pod is not repeated', () => {
    const at = noted(later(deaf(changed({ mode: 'Auto' })), 60_000));
    const [file] = configMapsIn(at.published.shards);
    if (file === undefined) throw new Error('nothing is published');
    const annotations = { ...file.annotations, [ANNOTATION_RESTARTED]: '{"worker-0":2}' };
    expect(evictedBy(withConfigMap(at, { ...file, annotations }))).toEqual(['worker-1']);
  });

  it('a worker is replaced once for a version, also after an operator restart', () => {
    const at = later(deaf(changed({ mode: 'Auto', maxUnavailable: 4 })), 60_000);
    expect(evictedBy(at)).toHaveLength(4);
    const next = later(deaf(ready(carriedOut(at, decide(at)))), 3_600_000);
    expect(evictedBy(next)).toEqual([]);
    expect(conditionOf(carriedOut(next, decide(next)), 'Converged')).toMatchObject({
      reason: 'WorkersStuck',
    });
  });
});

describe('workers that are not probed (probe None)', () => {
  const silent = (refresh: object = {}): PoolWorld =>
    world({ streams: 4, workers: 2, spec: { probe: { type: 'None' }, refresh } });

  it('workers without probes converge when their pods were replaced after the change and are Ready', () => {
    const first = silent();
    const at = carriedOut(first, decide(first));
    expect(decide(at).probes).toEqual([]);
    expect(conditionOf(carriedOut(at, decide(at)), 'Converged')?.status).toBe('False');
    const replaced = { ...at, pods: at.pods.map((pod) => ({ ...pod, uid: `${pod.uid}-new` })) };
    expect(conditionOf(carriedOut(replaced, decide(replaced)), 'Converged')?.status).toBe('True');
  });

  it('workers without probes are replaced in waves with refresh Restart, and then converge', () => {
    let at = carriedOut(silent({ mode: 'Restart' }), decide(silent({ mode: 'Restart' })));
    for (let round = 0; round < 6; round += 1) at = ready(carriedOut(at, decide(at)));
    expect(conditionOf(at, 'Converged')?.status).toBe('True');
    expect(at.pods.map(({ uid }) => uid)).toEqual(['uid-0+', 'uid-1+']);
    expect(versionOf(at)).toBe(1);
    expect(Object.values(jobsOf(at)).flat()).toHaveLength(4);
  });
});
