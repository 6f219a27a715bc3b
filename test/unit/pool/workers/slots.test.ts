import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pod } from '../../../../src/api/observed.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  nothingPublished,
  pod,
  retargeted,
  slicesOf,
  versionOf,
  withSpec,
  world,
} from '../../../support/pool-worlds.ts';

const web = (name: string, change: Partial<Pod> = {}): Pod =>
  pod(0, { name, uid: `${name}-uid`, ...change });

const sized = (at: PoolWorld, replicas: number): PoolWorld => ({
  ...at,
  targets: at.targets.map((target) => ({ ...target, replicas })),
});

/** A pool on a Deployment whose pods are these. */
function deployed(pods: readonly Pod[], streams = 6, workers: object = {}): PoolWorld {
  const spec = {
    workers: { kind: 'Deployment', selector: { matchLabels: { app: 'worker' } }, ...workers },
  };
  const at = world({ streams, workers: pods.length, spec });
  return {
    ...at,
    targets: at.targets.map((target) => ({ ...target, kind: 'Deployment' as const })),
    pods,
  };
}

const changed = (at: PoolWorld, name: string, change: Partial<Pod>): PoolWorld => ({
  ...at,
  pods: at.pods.map((it) => (it.name === name ? { ...it, ...change } : it)),
});

const without = (at: PoolWorld, ...names: readonly string[]): PoolWorld => ({
  ...at,
  pods: at.pods.filter(({ name }) => !names.includes(name)),
});

const joined = (at: PoolWorld, ...pods: readonly Pod[]): PoolWorld => ({
  ...at,
  pods: [...at.pods, ...pods],
});

/** Entry -> slot. */
const slotsOf = (at: PoolWorld): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries([...slicesOf(at)].map(([name, { slot }]) => [name, slot]));

const lastChange = (at: PoolWorld): object =>
  JSON.parse(at.published.shards[0]?.configMap.annotations['k8slab.info/change'] ?? '{}');

describe('pods of a Deployment', () => {
  it('pods of a Deployment are bound to slots in the order of their names', () => {
    const at = settled(deployed([web('b'), web('a')]));
    expect(slotsOf(at)).toEqual({ a: 0, b: 1 });
    expect(jobsOf(at)).toEqual({ a: ['s0', 's1', 's2'], b: ['s3', 's4', 's5'] });
    expect(at.pool.status?.workers).toMatchObject([
      { name: 'a', slot: 0, state: 'Converged' },
      { name: 'b', slot: 1, state: 'Converged' },
    ]);
    expect(at.pool.status?.target).toBe('Deployment/worker');
  });

  it('pods that are not Ready yet leave their slots open, and the streams wait there', () => {
    const at = settled(deployed([web('a'), web('b', { isReady: false })]));
    expect(slotsOf(at)).toEqual({ a: 0, 'slot 1': 1 });
    expect(at.published.shards[0]?.configMap.data['config.yml']).toMatch(
      /\nslots:\n {2}'1':\n {4}jobs:\n {6}- s3\n/,
    );
    const next = settled(changed(at, 'b', { isReady: true }));
    expect(slotsOf(next)).toEqual({ a: 0, b: 1 });
    expect(jobsOf(next)['b']).toEqual(['s3', 's4', 's5']);
  });

  it('pods that lost their slots with the assignment are told to stop, and are waited for', () => {
    const lost = {
      ...sized(settled(deployed([web('a'), web('b')])), 1),
      published: nothingPublished,
    };
    const next = (now: PoolWorld): PoolWorld =>
      carriedOut(now, decidePool({ ...now, ages: { ...now.ages, publishedMs: 10_000 } }, NOW));
    const at = next(next(lost));
    expect(jobsOf(at)).toMatchObject({ a: ['s0', 's1', 's2', 's3', 's4', 's5'], b: [] });
    expect(at.pool.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Converged', status: 'False' }),
    );
    expect(Object.keys(jobsOf(settled(confirmed(at))))).toEqual(['a']);
  });

  it('pods that belong to no target any more keep their entry in their own ConfigMap', () => {
    const assignments = { key: 'config.yml', shards: 2, whenDeleted: 'Retain' };
    const before = settled(withSpec(deployed([web('a'), web('b')]), { assignments }));
    const at = carriedOut(before, decidePool(retargeted(before, 'other'), NOW));
    const standing = at.published.shards.map(({ read }) =>
      read?.ok === true ? [...read.assignment.workloads.keys()] : [],
    );
    expect(standing).toEqual([expect.arrayContaining(['a']), expect.arrayContaining(['b'])]);
  });

  it('a surge pod stays idle until an old one has ended, and then takes its slot and its streams', () => {
    const before = settled(deployed([web('a'), web('b')]));
    const surge = joined(before, web('new'));
    expect(decidePool(surge, NOW).steps).toEqual([]);
    const ending = changed(surge, 'a', { isTerminating: true });
    // Nothing moves yet, and status says that the old pod is on its way out.
    expect(decidePool(ending, NOW).steps).toMatchObject([
      { do: 'status', status: { convergedReplicas: 1 } },
    ]);
    const after = settled(without(ending, 'a'));
    expect(slotsOf(after)).toEqual({ new: 0, b: 1 });
    expect(jobsOf(after)).toEqual({ new: ['s0', 's1', 's2'], b: ['s3', 's4', 's5'] });
    expect(lastChange(after)).toMatchObject({ moves: 0, reason: 'WorkerReplaced' });
    expect(slicesOf(after).get('b')?.version).toBeLessThan(versionOf(after));
  });

  it('a pod that terminates on a dead node is not waited for', () => {
    const before = settled(deployed([web('a'), web('b')]));
    const after = settled(
      joined(changed(before, 'a', { isTerminating: true, isReady: false }), web('new')),
    );
    expect(slotsOf(after)).toEqual({ new: 0, b: 1 });
  });

  it('a pod that joins takes nothing before it is Ready, and then by the fewest moves', () => {
    const before = settled(deployed([web('a'), web('b')], 6));
    const pending = settled(joined(sized(before, 3), web('c', { isReady: false })));
    expect(jobsOf(pending)).toMatchObject(jobsOf(before));
    const after = settled(changed(pending, 'c', { isReady: true }));
    expect(Object.values(jobsOf(after)).map((jobs) => jobs.length)).toEqual([2, 2, 2]);
    expect(lastChange(after)).toMatchObject({ moves: 2 });
  });

  it('a smaller Deployment moves only the streams of the pod that the ReplicaSet has chosen', () => {
    const before = settled(deployed([web('a'), web('b'), web('c')], 9));
    const smaller = sized(before, 2);
    expect(jobsOf(settled(smaller))).toEqual(jobsOf(before));
    const after = settled(without(changed(smaller, 'a', { isTerminating: true }), 'a'));
    expect(slotsOf(after)).toEqual({ b: 1, c: 0 });
    for (const name of ['b', 'c'])
      expect(jobsOf(after)[name]).toEqual(
        expect.arrayContaining([...(jobsOf(before)[name] ?? [])]),
      );
    expect(Object.values(jobsOf(after)).flat()).toHaveLength(9);
    expect(lastChange(after)).toMatchObject({ moves: 3 });
  });

  it('a new pod takes over the slot that a stream is pinned to', () => {
    const streams = [{ name: 'x', ordinal: 1 }, { name: 'y' }, { name: 'z' }];
    const at = settled(withSpec(deployed([web('a'), web('b')]), { streams }));
    expect(jobsOf(at)['b']).toContain('x');
    const after = settled(joined(without(at, 'b'), web('c')));
    expect(slotsOf(after)['c']).toBe(1);
    expect(jobsOf(after)['c']).toContain('x');
  });

  it('streams go on in their slots when all pods are gone and others come', () => {
    const before = settled(deployed([web('a'), web('b')]));
    const none = settled(without(before, 'a', 'b'));
    expect(slotsOf(none)).toEqual({ 'slot 0': 0, 'slot 1': 1 });
    const back = settled(joined(none, web('c'), web('d')));
    expect(Object.values(jobsOf(back))).toEqual(Object.values(jobsOf(before)));
  });
});

describe('a Deployment with scaling Lead', () => {
  const lead = (replicas: number): object => ({ scaling: 'Lead', replicas });
  const smaller = (at: PoolWorld): PoolWorld =>
    withSpec(at, {
      workers: { kind: 'Deployment', selector: { matchLabels: { app: 'worker' } }, ...lead(2) },
    });
  const start = (): PoolWorld => settled(deployed([web('a'), web('b'), web('c')], 9, lead(3)));

  it('scaling Lead marks the drained pod to be deleted first, and then shrinks the Deployment', () => {
    let at = carriedOut(smaller(start()), decidePool(smaller(start()), NOW));
    expect(jobsOf(at)).toMatchObject({ c: [] });
    const steps: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const next = decidePool({ ...at, answers: answersOf(at) }, NOW);
      const cost = next.steps.find(
        (step) =>
          step.do === 'annotate' &&
          'controller.kubernetes.io/pod-deletion-cost' in step.annotations,
      );
      const scale = next.steps.find((step) => step.do === 'scale');
      if (cost !== undefined) steps.push('cost');
      if (scale !== undefined) {
        steps.push(`${scale.do === 'scale' ? `${scale.kind.kind} ${scale.replicas}` : ''}`);
        break;
      }
      at = carriedOut({ ...at, answers: answersOf(at) }, next);
    }
    expect(steps).toEqual(['cost', 'Deployment 2']);
    expect(at.pods.find(({ name }) => name === 'c')?.deletionCost).toBe('-1000');
  });

  it('a Deployment that loses another pod gives the streams of that pod to the drained one', () => {
    const drained = carriedOut(smaller(start()), decidePool(smaller(start()), NOW));
    const after = settled(without(sized({ ...drained, answers: answersOf(drained) }, 2), 'a'));
    expect(slotsOf(after)).toEqual({ c: 0, b: 1 });
    expect(Object.values(jobsOf(after)).flat()).toHaveLength(9);
    expect(after.pods.find(({ name }) => name === 'c')?.deletionCost).toBeUndefined();
  });
});

const answersOf = (at: PoolWorld): PoolWorld['answers'] =>
  Object.fromEntries(
    at.pods.flatMap(({ name, uid }) => {
      const slice = slicesOf(at).get(name);
      return slice === undefined
        ? []
        : [
            [
              uid,
              { ok: true, report: { version: slice.version, jobs: slice.jobs, podUid: uid } },
            ] as const,
          ];
    }),
  );

describe('any history of pods', () => {
  type Event = { readonly what: 'start' | 'ready' | 'end' | 'gone' | 'size'; readonly at: number };
  const events = fc.array(
    fc.record<Event>({
      what: fc.constantFrom('start', 'ready', 'end', 'gone', 'size'),
      at: fc.nat(6),
    }),
    {
      maxLength: 25,
    },
  );

  function after(at: PoolWorld, { what, at: which }: Event, fresh: string): PoolWorld {
    if (what === 'size') return sized(at, which);
    if (what === 'start')
      return at.pods.length > 8 ? at : joined(at, web(fresh, { isReady: false }));
    const it = at.pods[which % Math.max(1, at.pods.length)];
    if (it === undefined) return at;
    if (what === 'ready') return it.isTerminating ? at : changed(at, it.name, { isReady: true });
    return what === 'end' ? changed(at, it.name, { isTerminating: true }) : without(at, it.name);
  }

  it('over any history each stream has one slot, each slot has one entry, and the pool comes to rest', () => {
    fc.assert(
      fc.property(events, (list) => {
        let at = settled(deployed([web('a'), web('b'), web('c')], 7));
        list.forEach((event, index) => {
          const before = at;
          at = settled(after(at, event, `p${String(index).padStart(2, '0')}`));
          const all = Object.values(jobsOf(at)).flat();
          const size = at.targets[0]?.replicas ?? 0;
          expect(new Set(all).size).toBe(all.length);
          if (size > 0) expect(all).toHaveLength(7);
          const slots = Object.values(slotsOf(at));
          expect(new Set(slots).size).toBe(slots.length);
          for (let slot = 0; slot < size; slot += 1) expect(slots).toContain(slot);
          expect(versionOf(at)).toBeGreaterThanOrEqual(versionOf(before));
          expect(decidePool(at, NOW).steps).toEqual([]);
        });
      }),
      { numRuns: 150 },
    );
  });
});
