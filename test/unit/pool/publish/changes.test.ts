// What is recorded of a change, and when is it published?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  assignedTo,
  conditionOf,
  jobsOf,
  NOW,
  slicesOf,
  stepsOf,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld, publishedMs = 10_000): ReturnType<typeof decidePool> =>
  decidePool({ ...at, ages: { ...at.ages, publishedMs } }, NOW);
const next = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));
const lastReason = (at: PoolWorld): string | undefined => at.published.change?.reason;

/** Another writer changes the file. */
function edited(at: PoolWorld, change: (text: string) => string): PoolWorld {
  const configMap = at.published.shards[0]?.configMap;
  if (configMap === undefined) throw new Error('nothing is published');
  const text = change(configMap.data['config.yml'] ?? '');
  return withConfigMap(at, {
    ...configMap,
    resourceVersion: '77',
    data: { ...configMap.data, 'config.yml': text },
  });
}

describe('a text that was edited', () => {
  it('an edited text is repaired, and recorded as AssignmentMended', () => {
    const at = next(
      edited(settled(world({ streams: 4, workers: 2 })), (text) =>
        text.replace('- s1', '- stranger'),
      ),
    );
    expect(jobsOf(at)).toEqual({ 'worker-0': ['s0', 's1'], 'worker-1': ['s2', 's3'] });
    expect(lastReason(at)).toBe('AssignmentMended');
  });

  it('an edited text is repaired also when it means the same', () => {
    const at = edited(settled(world({ streams: 4, workers: 2 })), (text) => `# mine\n${text}`);
    expect(lastReason(next(at))).toBe('AssignmentMended');
    expect(next(at).published.shards[0]?.configMap.data['config.yml']).not.toContain('# mine');
  });

  it('three edits within ten minutes are a conflict that status reports', () => {
    let at = settled(world({ streams: 4, workers: 2 }));
    for (const name of ['x', 'y', 'z'])
      at = settled(edited(at, (text) => text.replace('- s1', `- ${name}`)));
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'AssignmentsConflict',
    });
  });

  it('a text by an earlier operator is no edit: its note has no digest', () => {
    const before = settled(world({ streams: 4, workers: 2 }));
    const configMap = before.published.shards[0]?.configMap;
    if (configMap === undefined) throw new Error('nothing is published');
    const note = JSON.stringify({
      version: 1,
      moves: 0,
      reason: 'FirstPublication',
      time: '2026-01-01T00:00:00Z',
    });
    const at = withConfigMap(before, {
      ...configMap,
      annotations: { ...configMap.annotations, 'k8slab.info/change': note },
    });
    expect(stepsOf(decide(at))).toEqual([]);
    expect(lastReason(next(withStreams(at, 5)))).toBe('StreamsChanged');
  });
});

describe('the reason of a change that a user made', () => {
  type Edit = Readonly<Record<string, unknown>>;
  const pinnedTo = (ordinal: number): Edit => ({ streams: [{ name: 's0', ordinal }, ...others] });
  const others = [{ name: 's1' }, { name: 's2' }, { name: 's3' }];
  const selector = { matchLabels: { app: 'worker' } };
  const cordoned = { workers: { selector, cordoned: [1] } };
  const exclusive = { handoff: { type: 'Exclusive' } };
  const heavier = { streams: [{ name: 's0', weight: 2 }, ...others] };
  /** Of all changes but the first, oldest first; each edit is of the spec at the beginning. */
  const reasonsAfter = (spec: Edit, edits: readonly Edit[]): readonly string[] => {
    const before = { workers: { selector }, streams: [{ name: 's0' }, ...others], ...spec };
    let at = settled(world({ workers: 2, spec: before }));
    for (const edit of edits) at = settled(withSpec(at, { ...before, ...edit }));
    return (at.pool.status?.history ?? []).map(({ reason }) => reason).reverse();
  };

  it.each<[what: string, spec: Edit, edits: readonly Edit[], reasons: readonly string[]]>([
    ['a cordon, and its end', {}, [cordoned, {}], ['WorkerCordoned', 'WorkerUncordoned']],
    ['a pin to another worker', {}, [pinnedTo(1)], ['StreamPinned']],
    ['no change for a pin to the present worker, and its end', {}, [pinnedTo(0), {}], []],
    ['a cordon with a handoff', exclusive, [cordoned], ['WorkerCordoned', 'HandoffContinued']],
    ['a pin with a handoff', exclusive, [pinnedTo(1)], ['StreamPinned', 'HandoffContinued']],
    ['a weight while a worker is cordoned', cordoned, [heavier], ['StreamsChanged']],
  ])('the history names %s', (_, spec, edits, reasons) =>
    expect(reasonsAfter(spec, edits)).toEqual(['FirstPublication', ...reasons]),
  );

  it('the note on the ConfigMap lists the cordoned workers for a new leader', () => {
    const noteOf = (spec: Edit): unknown => {
      const at = settled(world({ streams: 4, workers: 2, spec }));
      return JSON.parse(at.published.shards[0]?.configMap.annotations['k8slab.info/change'] ?? '');
    };
    expect(noteOf(cordoned)).toMatchObject({ cordoned: [1] });
    expect(noteOf({})).not.toHaveProperty('cordoned');
  });
});

describe('an assignment in another place', () => {
  const elsewhere = { assignments: { configMapName: 'elsewhere' } };
  const start = (): PoolWorld => settled(world({ streams: 4, workers: 2 }));

  it('an assignment in another ConfigMap is confirmed anew by every worker', () => {
    const at = next(withSpec(start(), elsewhere));
    expect(lastReason(at)).toBe('AssignmentMoved');
    expect([...slicesOf(at).values()].map(({ version }) => version)).toEqual([2, 2]);
    expect([assignedTo(at, 0)?.version, assignedTo(at, 1)?.version]).toEqual([2, 2]);
    expect(conditionOf(next(at), 'Converged')).toMatchObject({ status: 'False' });
  });

  it('every worker is nudged at once when the assignment moves back, however long it was silent', () => {
    let at = next(withSpec(start(), elsewhere));
    for (let times = 0; times < 8; times += 1)
      at = carriedOut(
        at,
        decide({
          ...at,
          ages: {
            ...at.ages,
            answersMs: 600_000,
            annotatedMs: { 'uid-0': 600_000, 'uid-1': 600_000 },
          },
        }),
      );
    expect(assignedTo(at, 0)?.attempt).toBeGreaterThan(6);
    const back = next(withSpec(at, { assignments: {} }));
    expect(assignedTo(back, 0)).toMatchObject({ version: 3, attempt: 1 });
  });

  it('another ConfigMap changes no slice of a pod that would have to be replaced to read it', () => {
    const restarting = settled(
      world({ streams: 4, workers: 2, spec: { refresh: { mode: 'Restart' } } }),
    );
    const at = next(withSpec(restarting, { ...elsewhere, refresh: { mode: 'Restart' } }));
    expect([...slicesOf(at).values()].map(({ version }) => version)).toEqual([1, 1]);
  });

  it('another key in the same ConfigMap removes the earlier key', () => {
    const at = decide(withSpec(start(), { assignments: { key: 'other.yml' } }));
    expect(at.steps).toContainEqual(
      expect.objectContaining({
        do: 'patch',
        body: expect.objectContaining({
          data: { 'config.yml': null, 'other.yml': expect.any(String) },
        }),
      }),
    );
  });
});

describe('a first publication', () => {
  it('a first publication is one also where another pool has annotated the pods before', () => {
    const told = JSON.stringify({ version: 9, uid: 'uid-0', digest: 'x', attempt: 1 });
    const fresh = world({ streams: 4, workers: 2 });
    const at = next({ ...fresh, pods: fresh.pods.map((pod) => ({ ...pod, assigned: told })) });
    expect(lastReason(at)).toBe('FirstPublication');
    expect(versionOf(at)).toBe(10);
  });
});

describe('changes that come faster than workers confirm', () => {
  const start = (): PoolWorld => settled(world({ streams: 4, workers: 2 }));
  const changed = (): PoolWorld =>
    carriedOut(withStreams(start(), 5), decide(withStreams(start(), 5), 0));

  it('the first of several fast changes is published at once', () => {
    expect(versionOf(changed())).toBe(2);
  });

  it('further fast changes are joined, and wait for half a second since the last', () => {
    const held = decide(withStreams(changed(), 6), 100);
    expect(stepsOf(held)).toEqual([]);
    expect(held).toMatchObject({ requeueAfterMs: 400, probes: [{}, { isOutstanding: true }] });
    expect(stepsOf(decide(withStreams(changed(), 7), 500))).toContain('patch');
  });

  it('fast changes wait no longer than until all workers have confirmed', () => {
    expect(stepsOf(decide(withStreams(confirmed(changed()), 6), 100))).toContain('patch');
  });

  it('changes one after the other wait for half a second also when each was confirmed at once', () => {
    let at = start();
    for (const count of [5, 6]) at = settled(withStreams(at, count));
    const held = decidePool(
      { ...withStreams(at, 7), ages: { ...at.ages, publishedMs: 100 } },
      NOW + 1_000,
    );
    expect(held).toMatchObject({ requeueAfterMs: 400 });
    expect(stepsOf(held)).not.toContain('patch');
    expect(
      stepsOf(
        decidePool({ ...withStreams(at, 7), ages: { ...at.ages, publishedMs: 100 } }, NOW + 3_000),
      ),
    ).toContain('patch');
  });

  it('a released stream is given on without waiting', () => {
    const exclusive = settled(
      world({ streams: 4, workers: 3, spec: { handoff: { type: 'Exclusive' } } }),
    );
    const cordoned = withSpec(exclusive, {
      workers: { selector: { matchLabels: { app: 'worker' } }, cordoned: [0] },
    });
    const released = confirmed(carriedOut(cordoned, decide(cordoned)), [0]);
    expect(stepsOf(decide(released, 10))).toContain('patch');
  });

  it('pods that end one by one after scaling to zero make no version each', () => {
    const before = start();
    const pods = before.pods.map((pod) => ({ ...pod, isTerminating: true }));
    const shrunk = {
      ...before,
      targets: before.targets.map((target) => ({ ...target, replicas: 0 })),
      pods,
    };
    const at = carriedOut(shrunk, decide(shrunk, 0));
    expect(stepsOf(decide({ ...at, pods: at.pods.slice(0, 1) }, 100))).not.toContain('patch');
  });
});
