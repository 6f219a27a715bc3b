// Does a pool work with a hundred thousand streams on two hundred workers? The operator and the API
// server are real; the workers are simulated.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { SimulatedWorkers } from '../../../support/simulated-workers.ts';
import { publications } from '../../support/audit.ts';
import { type Large, largePool, manyNames, renamed } from '../../support/large.ts';
import type { Pool } from '../../support/pool.ts';
import { Swarm } from '../../support/swarm.ts';

const STREAMS = 100_000;
const WORKERS = 200;
/** In seconds, also on a busy machine: `npm run bench` measures speed. */
const PATIENCE = 240;
const LARGEST_STATUS = 256 * 1024;

let swarm: Swarm;
let workers: SimulatedWorkers;
let pool: Pool;

beforeAll(async () => {
  swarm = await Swarm.start({ nodes: 0 });
  // A control plane that other files share may have pods of theirs that are about to end.
  workers = await SimulatedWorkers.start(swarm.playground.plane.kubeconfig, 'scale');
  await swarm.operator('--leader-election', 'false');
});

afterAll(async () => {
  await workers.stop();
  await swarm.stop();
});

const streams = manyNames(STREAMS);
const large: Large = { streams, lists: 4, shards: 4, workers: WORKERS };

const converged = (after: number, count: number): Promise<unknown> =>
  pool.until(
    `has ${count} workers converged`,
    ({ version = 0, replicas, convergedReplicas, workers: shown = [], streams: counts }) =>
      version > after &&
      replicas === count &&
      convergedReplicas === count &&
      counts?.assigned === STREAMS &&
      shown.every(({ state }) => state === 'Converged'),
    PATIENCE,
  );

/** By the workers' own reports: which worker runs which stream, each stream once. */
function owners(): ReadonlyMap<string, string> {
  const all = [...workers.running].flatMap(([worker, { jobs }]) =>
    jobs.map((job) => [job, worker] as const),
  );
  const byStream = new Map(all);
  expect(all).toHaveLength(byStream.size);
  return byStream;
}

const spread = (): number => {
  const counts = [...workers.running.values()].map(({ jobs }) => jobs.length);
  return Math.max(...counts) - Math.min(...counts);
};

const published = () => publications(swarm.audit, 'scale');

describe('a pool of a hundred thousand streams', () => {
  it('100,000 streams converge, each on exactly one worker, with a status of bounded size', async () => {
    pool = await largePool(swarm, 'scale', large);
    await converged(0, WORKERS);
    expect([...owners().keys()].sort()).toEqual(streams);
    expect(spread()).toBe(0);
    const { status } = await swarm.api.get(kinds.SwarmPool, { namespace: 'scale', name: 'tv' });
    expect(JSON.stringify(status).length).toBeLessThan(LARGEST_STATUS);
  });

  it('one changed stream of 100,000 rewrites one ConfigMap, one pod and the status', async () => {
    const before = owners();
    const earlier = published().length;
    const { version = 0 } = (await pool.status()) ?? {};
    const once = await renamed(swarm, 'scale', large, 0, 'renamed');
    await converged(version, WORKERS);
    const after = owners();
    const told = await pool.told(version + 1);
    // By the time of the next change the audit log contains all writes for this one.
    await renamed(swarm, 'scale', once, 0, 'renamed again');
    await converged(version + 1, WORKERS);
    const [written = [], ...later] = published().slice(earlier);
    expect(later).toHaveLength(1);
    expect(told).toHaveLength(1);
    expect(written).toContain('swarmpools/status');
    // A slow worker is nudged again.
    expect(written.filter((what) => what === 'pods/status')).toHaveLength(told[0] ?? 0);
    expect([...after].filter(([stream, worker]) => before.get(stream) !== worker)).toEqual([
      ['renamed', before.get(streams[0] ?? '')],
    ]);
    expect(after.has(streams[0] ?? '')).toBe(false);
  });

  it('a worker that is added to 200 gets its share by the fewest moves', async () => {
    const before = owners();
    const { version = 0 } = (await pool.status()) ?? {};
    await pool.scale(WORKERS + 1);
    await converged(version, WORKERS + 1);
    await pool.until(
      'the new worker has its share',
      () => workers.running.get(`worker-${WORKERS}`)?.jobs.length !== 0,
      PATIENCE,
    );
    await converged(version, WORKERS + 1);
    const moved = [...owners()].filter(([stream, worker]) => before.get(stream) !== worker);
    expect(moved).toHaveLength(Math.floor(STREAMS / (WORKERS + 1)));
    expect(new Set(moved.map(([, worker]) => worker))).toEqual(new Set([`worker-${WORKERS}`]));
    expect(spread()).toBe(1);
  });
});
