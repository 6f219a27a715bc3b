// Does each setting of the assignment have its effect: weights, priority, pins, groups, cordoned,
// bounds on moves? The workers run what is published.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SwarmPoolStatus } from '../../../../src/api/validate.ts';
import type { Pool } from '../../support/pool.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;
const workers = { selector: { matchLabels: { app: 'worker' } } };

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  // Some of the lists below have no stream of the one before.
  const spec = { removal: { allowEmpty: true } };
  pool = await swarm.pool('words', { streams: names(6), workers: 3, spec });
  await pool.converged(names(6), 3);
});

afterAll(() => swarm.stop());

/** The status of the new generation, confirmed by the workers themselves. */
async function edited(spec: object): Promise<SwarmPoolStatus> {
  const before = (await pool.status())?.observedGeneration ?? 0;
  await pool.edit(spec);
  const status = await pool.until(
    'the operator has observed the change',
    ({ observedGeneration = 0, convergedReplicas, conditions }) =>
      observedGeneration > before &&
      convergedReplicas === 3 &&
      conditions?.some((it) => it.type === 'Converged' && it.status === 'True') === true,
  );
  const sorted = (
    lists: readonly { readonly name: string; readonly jobs?: readonly string[] }[],
  ): object => Object.fromEntries(lists.map(({ name, jobs = [] }) => [name, [...jobs].sort()]));
  expect(sorted(await pool.running())).toEqual(sorted(status.workers ?? []));
  return status;
}

const jobsOf = ({ workers: list = [] }: SwarmPoolStatus): readonly string[] =>
  list.map(({ jobs = [] }) => [...jobs].sort().join());
const loadsOf = ({ workers: list = [] }: SwarmPoolStatus): readonly (number | undefined)[] =>
  list.map(({ load }) => load);

describe('an assignment', () => {
  it('a stream with the weight of a whole worker has one alone, and streams without weights share the rest', async () => {
    const streams = [
      { name: 'own', weight: 100 },
      { name: 'big', weight: 60 },
      { name: 'small', weight: 40 },
      ...names(4).map((name) => ({ name })),
    ];
    const status = await edited({ streams });
    expect(jobsOf(status).filter((jobs) => jobs.includes('own'))).toEqual(['own']);
    expect([...loadsOf(status)].sort()).toEqual([100, 40, 60]);
    expect(
      jobsOf(status)
        .map((jobs) => jobs.split(',').length)
        .sort(),
    ).toEqual([1, 3, 3]);
    expect(status).toMatchObject({
      requiredReplicas: 2,
      streams: { total: 7, assigned: 7, unassigned: 0 },
    });
  });

  it('the lowest priority is left out when capacity lacks, and status says how many workers would be enough', async () => {
    const streams = [
      { name: 'low', weight: 80, priority: -1 },
      ...['a', 'b', 'c'].map((name) => ({ name, weight: 80, priority: 1 })),
    ];
    const status = await edited({ streams });
    expect(status.unassigned).toMatchObject([{ name: 'low', reason: 'InsufficientCapacity' }]);
    expect(status.requiredReplicas).toBe(4);
    expect(await pool.condition('Overcommitted')).toMatchObject({
      status: 'True',
      reason: 'InsufficientCapacity',
    });
  });

  it('with overcommit Allow all streams are assigned, and the overload is reported', async () => {
    const status = await edited({ overcommit: 'Allow' });
    expect(status.streams).toMatchObject({ total: 4, assigned: 4, unassigned: 0 });
    expect(await pool.condition('Overcommitted')).toMatchObject({
      status: 'True',
      reason: 'Allowed',
    });
  });

  it('all streams fit when the capacity is larger', async () => {
    const status = await edited({ overcommit: 'Deny', workers: { ...workers, capacity: 160 } });
    expect(status.streams).toMatchObject({ total: 4, assigned: 4, unassigned: 0 });
    expect(await pool.condition('Overcommitted')).toMatchObject({
      status: 'False',
      reason: 'RoomForAll',
    });
  });

  it('an assignment keeps pins, spreads groups, and passes parameters to workers', async () => {
    const parameters = { url: 'rtsp://cam-1/main' };
    const group = ['g0', 'g1', 'g2'].map((name) => ({ name, spreadGroup: 'g' }));
    const status = await edited({
      streams: [
        ...group,
        { name: 'pinned', ordinal: 2, parameters },
        ...names(2).map((name) => ({ name })),
      ],
    });
    expect(jobsOf(status)[2]).toContain('pinned');
    for (const jobs of jobsOf(status)) expect(jobs.match(/g\d/g)).toHaveLength(1);
    expect((await pool.published()).slices.get('worker-2')?.parameters).toEqual({
      pinned: parameters,
    });
  });

  it('a cordoned worker is emptied, gets no stream, and the pin that this breaks is named', async () => {
    await pool.edit({ workers: { ...workers, cordoned: [2] } });
    const status = await pool.until(
      'the worker is empty',
      ({ workers: list }) => list?.[2]?.state === 'Cordoned' && list[2].jobs?.length === 0,
    );
    expect(status.unassigned).toMatchObject([{ name: 'pinned', reason: 'PinnedWorkerCordoned' }]);
    const back = await edited({ workers: { ...workers, cordoned: [] } });
    expect(jobsOf(back)[2]).toContain('pinned');
  });

  it('rebalance WhenRequired moves only streams without a worker', async () => {
    const before = await edited({ streams: names(9).map((name) => ({ name })) });
    const status = await edited({
      rebalance: { policy: 'WhenRequired' },
      streams: names(9)
        .slice(3)
        .map((name) => ({ name })),
    });
    const kept = jobsOf(before).map((jobs) =>
      jobs
        .split(',')
        .filter((job) => !['s0', 's1', 's2'].includes(job))
        .join(),
    );
    expect(jobsOf(status)).toEqual(kept);
    expect(status.history?.[0]).toMatchObject({ moves: 0 });
  });

  it('an assignment moves at most rebalance.maxMoves streams at a time', async () => {
    const six = names(9).slice(3);
    await pool.scale(2);
    await pool.converged(six, 2);
    await pool.edit({ rebalance: { policy: 'Always', maxMoves: 1 } });
    await pool.until(
      'is even',
      ({ workers: list }) => list?.map(({ jobs }) => jobs?.length).join() === '3,3',
    );
    const { version } = await pool.published();
    await pool.scale(3);
    const isEven = ({ workers: list }: SwarmPoolStatus): boolean =>
      list?.map(({ jobs }) => jobs?.length).join() === '2,2,2';
    const status = await pool.until('is even again', isEven);
    const moves = (status.history ?? [])
      .filter((change) => change.version > version)
      .map((change) => change.moves);
    expect(moves.filter((count) => count > 0)).toEqual([1, 1]);
    await pool.converged(six, 3);
  });
});
