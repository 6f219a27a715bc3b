import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANYTHING, digestOf, readAssigned } from '../../../../src/api/assignment.ts';
import { decidePool } from '../../../../src/core/pool/decide.ts';
import type { PoolWorld } from '../../../../src/core/pool/world.ts';
import {
  carriedOut,
  conditionOf,
  jobsOf,
  NOW,
  retargeted,
  scaled,
  settled,
  slicesOf,
  streamNames,
  withConfigMap,
  withPod,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const exclusive = (streams = 4, workers = 2): PoolWorld => world({ streams, workers, spec: { handoff: { type: 'Exclusive' } } });
const decide = (at: PoolWorld) => decidePool(at, NOW);
const step = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));

/** A worker's own word for what it runs. */
const says = (at: PoolWorld, ordinal: number, version: number, jobs: readonly string[]): PoolWorld => ({
  ...at,
  answers: { ...at.answers, [`uid-${ordinal}`]: { ok: true, report: { version, jobs, podUid: `uid-${ordinal}` } } },
});

describe('handoff Exclusive', () => {
  it('takes a stream away, waits until its owner has let go, and only then gives it on', () => {
    const at = scaled(settled(exclusive()), 1);
    // The pod of worker-1 still lives: it has only been told to go.
    const both = {
      ...at,
      pods: [
        ...at.pods,
        ...exclusive()
          .pods.slice(1)
          .map((pod) => ({ ...pod, isTerminating: true })),
      ],
    };
    const taken = step(both);
    expect(slicesOf(taken).get('worker-1')).toMatchObject({ jobs: [], releasing: ['s2', 's3'] });
    expect(jobsOf(taken)['worker-0']).toEqual(['s0', 's1']);
    const half = step(says(taken, 1, 2, ['s3']));
    expect(jobsOf(half)['worker-0']).toEqual(['s0', 's1', 's2']);
    expect(slicesOf(half).get('worker-1')).toMatchObject({ releasing: ['s3'] });
    const whole = step(says(half, 1, 3, []));
    expect(jobsOf(whole)['worker-0']).toEqual(['s0', 's1', 's2', 's3']);
  });

  const elsewhere = [...streamNames(4).map((name) => ({ name })), { name: 's4', ordinal: 1 }];
  const toldAndLost = (): PoolWorld => {
    // s4 goes to worker-0 with version 2, which has been told, and has not confirmed it when the ConfigMap is lost.
    const given = step(withStreams(settled(exclusive()), 5));
    expect(jobsOf(given)['worker-0']).toContain('s4');
    return withStreams({ ...given, published: [] }, elsewhere);
  };

  it('gives to nobody what a worker may yet take up of a version that is lost, until that worker has followed a newer one', () => {
    const again = step(toldAndLost());
    expect(Object.values(jobsOf(again)).flat().sort()).toEqual(['s0', 's1', 's2', 's3']);
    expect(slicesOf(again).get('worker-0')?.releasing).toEqual([ANYTHING]);
    const next = settled(again);
    expect(Object.values(jobsOf(next)).flat().sort()).toEqual(['s0', 's1', 's2', 's3', 's4']);
    expect([...slicesOf(next).values()].flatMap(({ releasing = [] }) => releasing)).toEqual([]);
  });

  it('gives what may yet be taken up to the one that may, when that is the only one', () => {
    const lost = withStreams(toldAndLost(), 5);
    expect(jobsOf(step(lost))['worker-0']).toContain('s4');
  });

  it('gives nothing new to others while one may run what an editor took out of the ConfigMap', () => {
    const given = step(withStreams(settled(exclusive()), 5));
    const [first] = given.published;
    if (first === undefined) throw new Error('nothing is published');
    const text = (first.configMap.data['config.yml'] ?? '').replace(/^ +- s4\n/m, '');
    const edited = withStreams(withConfigMap(given, { ...first.configMap, data: { 'config.yml': text } }), elsewhere);
    const next = step(edited);
    expect(jobsOf(next)['worker-1']).not.toContain('s4');
    expect(Object.values(jobsOf(settled(next))).flat()).toContain('s4');
  });

  it('gives to nobody what an editor took from the record of a worker that is silent', () => {
    const taken = step(retargeted(settled(exclusive()), 'other'));
    const silent = { ...taken, answers: { 'uid-0': { ok: false, reason: 'timeout' } as const } };
    expect(slicesOf(silent).get('worker-0')).toMatchObject({ jobs: [], releasing: ['s0', 's1'] });
    const untold = { ...silent, formerPods: settled(exclusive()).pods };
    const [first] = untold.published;
    if (first === undefined) throw new Error('nothing is published');
    const text = (first.configMap.data['config.yml'] ?? '').replace(/^ +- s0\n/m, '');
    const next = step(withConfigMap(untold, { ...first.configMap, data: { 'config.yml': text } }));
    expect(slicesOf(next).get('worker-0')?.releasing).toContain(ANYTHING);
    expect(Object.values(jobsOf(next)).flat()).not.toContain('s0');
  });

  it('is not moved by a word from before: an answer of an older version lets go of nothing', () => {
    const at = withStreams(settled(exclusive()), ['s0', 's1', 's2']);
    const taken = step(at);
    expect(slicesOf(taken).get('worker-1')).toMatchObject({ jobs: ['s2'], releasing: ['s3'] });
    expect(decide(says(taken, 1, 1, ['s2'])).steps.filter(({ do: what }) => what === 'patch')).toEqual([]);
  });

  it('takes the end of a pod for the end of its streams', () => {
    const at = settled(exclusive());
    const gone = settled({ ...scaled(at, 1), answers: at.answers });
    expect(jobsOf(gone)).toEqual({ 'worker-0': ['s0', 's1', 's2', 's3'] });
  });

  it('is blocked by an owner that cannot be reached for its own streams only, and names it', () => {
    const at = settled(exclusive(6, 3));
    const silent = withPod(at, 2, { isReady: false });
    const answers = { ...silent.answers, 'uid-2': { ok: false, reason: 'connect ETIMEDOUT' } as const };
    const cordoned = { ...withStreams(silent, ['s0', 's1', 's2', 's3', 's4', 'new0', 'new1']), answers };
    const next = settled(cordoned);
    expect(Object.values(jobsOf(next)).flat()).toEqual(expect.arrayContaining(['new0', 'new1', 's4']));
    expect(slicesOf(next).get('worker-2')).toMatchObject({ releasing: ['s5'] });
    expect(next.pool.status?.workers?.[2]).toMatchObject({
      state: 'Releasing',
      message: 'has not confirmed that it let go of s5; it does not answer (connect ETIMEDOUT)',
    });
  });

  it('tells every pod what it may run, also one that was never told anything', () => {
    const at = settled(exclusive());
    const fresh = withPod(at, 1, { uid: 'fresh', assigned: undefined });
    const told = readAssigned(step({ ...fresh, answers: {} }).pods[1]?.assigned);
    const slice = slicesOf(at).get('worker-1');
    expect(told).toMatchObject({ uid: 'fresh', version: 1, digest: slice === undefined ? '' : digestOf(slice) });
  });

  it('with its ConfigMap lost gives nothing to anybody until all have said what they run', () => {
    const at = { ...settled(exclusive()), published: [], answers: {} };
    const blind = step(at);
    expect(Object.values(jobsOf(blind)).flat()).toEqual([]);
    const known = settled(says(says(at, 0, 1, ['s0', 's2']), 1, 1, ['s1', 's3']));
    expect(jobsOf(known)).toEqual({ 'worker-0': ['s0', 's2'], 'worker-1': ['s1', 's3'] });
  });

  it('with its ConfigMap lost waits for a worker that does not answer, however often it is looked at, and names it', () => {
    const lost = { ...settled(exclusive()), published: [] };
    const silent = { ...lost, answers: { ...lost.answers, 'uid-1': { ok: false, reason: 'connect ETIMEDOUT' } as const } };
    const next = step(step(step(silent)));
    expect(next.published).toEqual([]);
    expect(conditionOf(next, 'Ready')).toMatchObject({ reason: 'WorkersUnknown', message: expect.stringContaining('worker-1') });
    expect(decide(next).asks).toHaveLength(2);
    const ended = withPod(next, 1, { hasEnded: true });
    expect(Object.values(jobsOf(settled(ended))).flat()).toHaveLength(4);
  });

  it('restored from an older copy believes workers that know more, and gives nothing away that one of them runs', () => {
    const at = settled(withStreams(settled(exclusive()), ['s0', 's1', 's2', 's3', 's4']));
    const old = 'workloads: {worker-0: {jobs: [s2, s3], version: 1}, worker-1: {jobs: [s0, s1], version: 1}}\nversion: 1\n';
    const [first] = at.published;
    if (first === undefined) throw new Error('nothing is published');
    const restored = withConfigMap(at, { ...first.configMap, data: { 'config.yml': old } });
    expect(step({ ...restored, answers: {} }).published[0]?.configMap.data).toEqual({ 'config.yml': old });
    const next = step(restored);
    for (const [worker, jobs] of Object.entries(jobsOf(next))) {
      const running = Object.entries(jobsOf(at))
        .filter(([other]) => other !== worker)
        .flatMap(([, others]) => others);
      expect(jobs.filter((job) => running.includes(job))).toEqual([]);
    }
  });

  describe('when all that the API tells was set back', () => {
    /** Version 2 gave s4 to one of them; status, ConfigMap and annotations are of version 1 again. */
    const setBack = (): { readonly then: PoolWorld; readonly now: PoolWorld } => {
      const before = settled(exclusive());
      const then = settled(withStreams(before, 5));
      return { then, now: { ...before, pool: { ...before.pool, spec: then.pool.spec }, answers: then.answers, highestSeen: 2 } };
    };

    it('leaves each worker what it says, and gives nothing new before all have followed a newer version', () => {
      const { then, now } = setBack();
      const next = step(now);
      expect(jobsOf(next)).toEqual(jobsOf(then));
      expect([...slicesOf(next).values()].map(({ version, releasing }) => [version, releasing])).toEqual([
        [3, [ANYTHING]],
        [3, [ANYTHING]],
      ]);
      const wanting = step(withStreams(now, 6));
      expect(jobsOf(wanting)).toEqual(jobsOf(then));
      expect(Object.values(jobsOf(settled(wanting))).flat()).toContain('s5');
    });

    it('gives nobody what a worker may yet start that was told of it and has not confirmed', () => {
      const { now } = setBack();
      const untold = { ...now, answers: settled(exclusive()).answers };
      expect(Object.values(jobsOf(step(untold))).flat()).not.toContain('s4');
    });

    it('waits for a pod that has no address yet, for its kubelet may run it, but for none without a node', () => {
      const { now } = setBack();
      const { 'uid-0': first, ...others } = now.answers;
      expect(first).toBeDefined();
      const unstarted = withPod({ ...now, answers: others }, 0, { ip: undefined, isReady: false });
      expect(step(unstarted).published).toEqual(now.published);
      expect(step(withPod(unstarted, 0, { trouble: 'Unschedulable' })).published).not.toEqual(now.published);
    });

    it('waits for a worker that does not answer, and names it', () => {
      const { now } = setBack();
      const silent = { ...now, answers: { ...now.answers, 'uid-1': { ok: false, reason: 'connect ETIMEDOUT' } as const } };
      const next = step(step(silent));
      expect(next.published).toEqual(now.published);
      expect(conditionOf(next, 'Ready')).toMatchObject({ reason: 'WorkersUnknown', message: expect.stringContaining('worker-1') });
    });
  });

  it('with its ConfigMap lost takes each worker at its word: what it runs it has to let go first', () => {
    const before = settled(exclusive(6, 2));
    const lost = { ...scaled(before, 3), published: [] };
    const next = step(lost);
    expect(jobsOf(next)['worker-2']).toEqual([]);
    expect([...slicesOf(next).values()].flatMap(({ releasing = [] }) => releasing)).toHaveLength(2);
  });

  it('needs pods that see what vouches for their streams', () => {
    const at = exclusive();
    const open = { ...at, targets: at.targets.map((target) => ({ ...target, mountsAssigned: false })) };
    expect(conditionOf(step(open), 'Stalled')).toMatchObject({ status: 'True', reason: 'NotFenced' });
  });

  it('counts a move once', () => {
    const at = settled(exclusive(6, 2));
    const next = settled(scaled(at, 3));
    const moves = (next.pool.status?.history ?? []).map((entry) => entry.moves);
    expect(moves.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(Object.values(jobsOf(next)).map((jobs) => jobs.length)).toEqual([2, 2, 2]);
  });
});

/** A worker as it keeps the contract: it knows what its files say, late, and starts only what its own annotation vouches for. */
type Worker = { readonly uid: string; file: PoolWorld; assigned: string | undefined; running: Set<string>; version: number };

describe('handoff Exclusive, whatever happens in whatever order', () => {
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('decide' as const), steps: fc.integer({ min: 0, max: 8 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('file' as const), worker: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('annotation' as const), worker: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('work' as const), worker: fc.nat(5), part: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), worker: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('silence' as const), worker: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('recreate' as const), worker: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('scale' as const), to: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('streams' as const), from: fc.nat(4), count: fc.integer({ min: 0, max: 8 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget answers' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart container' as const), worker: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('lose ConfigMap' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restore ConfigMap' as const), back: fc.nat(6) }) },
  );

  it('no stream ever runs at two workers, and in the end each runs at one', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        let at = exclusive(6, 3);
        let made = 0;
        const earlier: PoolWorld[] = [];
        const workers = new Map<string, Worker>();
        const sync = (): void => {
          const live = new Set(at.pods.map(({ uid }) => uid));
          for (const [uid] of workers) if (!live.has(uid)) workers.delete(uid);
          for (const { uid } of at.pods) {
            // A new pod's file may be as old as the oldest that there was.
            if (!workers.has(uid)) workers.set(uid, { uid, file: exclusive(), assigned: undefined, running: new Set(), version: 0 });
          }
        };
        const pick = (index: number) => at.pods[index % Math.max(1, at.pods.length)];
        const work = (name: string, worker: Worker, isPart: boolean): void => {
          const slice = slicesOf(worker.file).get(name);
          if (slice === undefined) return;
          const told = readAssigned(worker.assigned);
          const isVouched = told?.uid === worker.uid && told.version === slice.version && told.digest === digestOf(slice);
          for (const stream of [...worker.running]) if (!slice.jobs.includes(stream)) worker.running.delete(stream);
          if (!isVouched) return;
          for (const stream of isPart ? slice.jobs.slice(0, 1) : slice.jobs) worker.running.add(stream);
          if (!isPart) worker.version = slice.version;
        };
        const check = (): void => {
          const all = [...workers.values()].flatMap(({ running }) => [...running]);
          expect(all.length).toBe(new Set(all).size);
        };
        sync();
        for (const one of actions) {
          const pod = 'worker' in one ? pick(one.worker) : undefined;
          const worker = pod === undefined ? undefined : workers.get(pod.uid);
          if (one.do === 'decide') at = carriedOut(at, { ...decide(at), steps: decide(at).steps.slice(0, one.steps) });
          if (one.do === 'file' && worker !== undefined) worker.file = at;
          if (one.do === 'annotation' && worker !== undefined && pod !== undefined) worker.assigned = pod.assigned;
          if (one.do === 'work' && worker !== undefined && pod !== undefined) work(pod.name, worker, one.part);
          if (one.do === 'answer' && worker !== undefined && pod !== undefined) {
            const slice = slicesOf(worker.file).get(pod.name);
            const isStopped = slice !== undefined && [...worker.running].every((stream) => slice.jobs.includes(stream));
            const version = Math.max(worker.version, isStopped ? slice.version : 0);
            at = {
              ...at,
              answers: { ...at.answers, [pod.uid]: { ok: true, report: { version, jobs: [...worker.running], podUid: pod.uid } } },
            };
          }
          if (one.do === 'silence' && pod !== undefined) at = { ...at, answers: { ...at.answers, [pod.uid]: { ok: false, reason: 'x' } } };
          if (one.do === 'recreate' && pod !== undefined) {
            made += 1;
            const uid = `${pod.name}-made-${made}`;
            at = { ...at, pods: at.pods.map((it) => (it === pod ? { ...it, uid, assigned: undefined } : it)) };
          }
          if (one.do === 'scale') at = scaled(at, one.to);
          if (one.do === 'streams') at = withStreams(at, streamNames(one.from + one.count).slice(one.from));
          if (one.do === 'forget answers') at = { ...at, answers: {} };
          if (one.do === 'restart container' && worker !== undefined) {
            worker.running.clear();
            worker.version = 0;
          }
          if (one.do === 'lose ConfigMap') at = { ...at, published: [] };
          if (one.do === 'restore ConfigMap') at = { ...at, published: earlier.at(-one.back)?.published ?? [] };
          if (earlier.at(-1)?.published !== at.published) earlier.push(at);
          sync();
          check();
        }
        for (let round = 0; round < 30; round += 1) {
          at = step({ ...at, ages: { ...at.ages, publishedMs: 10_000 } });
          for (const pod of at.pods) {
            const worker = workers.get(pod.uid);
            if (worker === undefined) continue;
            worker.file = at;
            worker.assigned = pod.assigned;
            work(pod.name, worker, false);
            at = {
              ...at,
              answers: {
                ...at.answers,
                [pod.uid]: { ok: true, report: { version: worker.version, jobs: [...worker.running], podUid: pod.uid } },
              },
            };
            check();
          }
        }
        const running = [...workers.values()].flatMap(({ running: streams }) => [...streams]).sort();
        const wanted = at.pool.spec.ok ? (at.pool.spec.value.streams ?? []).map(({ name }) => name).sort() : [];
        expect(running).toEqual(wanted);
        expect(conditionOf(at, 'Converged')?.status).toBe('True');
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is told of a handover', () => {
  const reasons = (at: PoolWorld): readonly (string | undefined)[] => (at.pool.status?.history ?? []).map(({ reason }) => reason).reverse();

  it('the streams move when they are let go; the change that gives them on says that it goes on', () => {
    const at = settled(settledExclusive());
    expect(reasons(at)).toEqual(['FirstPublication', 'WorkersChanged', 'HandoffContinued']);
    expect(at.pool.status?.history?.[1]?.moves).toBe(2);
  });

  const settledExclusive = (): PoolWorld => {
    const before = settled(world({ streams: 6, workers: 2, spec: { handoff: { type: 'Exclusive' } } }));
    return scaled(before, 3, { isReady: true });
  };
});
