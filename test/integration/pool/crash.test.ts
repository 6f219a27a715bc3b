// Does the pool's state survive a killed operator, whenever it is killed?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import { operatorWrites } from '../support/audit.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;
const base = names(12);

beforeAll(async () => {
  swarm = await Swarm.start();
  pool = await swarm.pool('crash', { streams: base, workers: 3 });
});

afterAll(() => swarm.stop());

const writes = (): number => operatorWrites(swarm.audit, 'crash').length;

describe('an operator killed in the middle of a change', () => {
  let operator: OperatorProcess;
  let streams: readonly string[] = base;

  beforeAll(async () => {
    operator = await swarm.operator('--leader-election', 'false');
    await pool.converged(base, 3);
  });

  // A change writes the ConfigMap, up to three pods, and status. The test kills the operator when
  // the audit log shows its k-th write: none, the ConfigMap, or one to a pod. The simulation kills
  // it after every other write.
  it.each([0, 1, 2])(
    'an operator that is killed after %i of its writes continues after a restart, and the version does not fall',
    async (k) => {
      const before = await pool.published();
      const written = writes();
      streams = [...streams.slice(2), ...names(4, `k${k}-`)];
      await pool.streams(streams);
      await eventually(`${k} writes`, () => writes() >= written + k);
      await operator.end('SIGKILL');
      operator = await swarm.operator('--leader-election', 'false');
      const status = await pool.converged(streams, 3);
      const after = await pool.published();
      expect(after.version).toBeGreaterThan(before.version);
      expect(status.history?.[0]).toMatchObject({
        version: after.version,
        reason: 'StreamsChanged',
      });
      expect([...after.slices.values()].map(({ jobs }) => jobs.length).sort()).toEqual(
        evenly(streams.length, 3),
      );
    },
  );

  it('an operator that is killed while workers come and go continues after a restart', async () => {
    await pool.scale(5);
    await eventually('the pods are made', async () => (await pool.pods()).length === 5);
    await operator.end('SIGKILL');
    await pool.scale(2);
    operator = await swarm.operator('--leader-election', 'false');
    await pool.converged(streams, 2);
    await operator.end();
  });

  const evenly = (count: number, workers: number): readonly number[] =>
    Array.from(
      { length: workers },
      (_, index) => Math.floor(count / workers) + (index >= workers - (count % workers) ? 1 : 0),
    );
});

describe('two replicas', () => {
  it('a second replica takes over when the leader is killed or stopped, and workers notice no change', async () => {
    const holder = async (): Promise<unknown> =>
      dig(
        await swarm.api.get(kinds.Lease, { namespace: 'swarm-operator', name: 'swarm-operator' }),
        'spec',
        'holderIdentity',
      );
    const first = await swarm.operator();
    await eventually('the first leads', async () => (await holder().catch(() => '')) !== '');
    const one = await holder();
    const second = await swarm.operator();
    const before = await pool.running();
    await first.end('SIGKILL');
    await eventually('the second leads', async () => (await holder()) !== one);
    const two = await holder();
    await pool.streams(base);
    await pool.converged(base, 2);
    const third = await swarm.operator();
    await second.end('SIGTERM');
    await eventually('the third leads', async () => ![two, ''].includes(String(await holder())));
    await pool.streams([...base, 'more']);
    await pool.converged([...base, 'more'], 2);
    expect(third.hasEnded).toBe(false);
    expect((await pool.running()).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  });
});
