// What remains when a pool is deleted, and what does a new pool of the same name continue from?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually, unseenBy } from '../../support/processes.ts';
import { makePoolIn, type Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

const MARK = 'k8slab.info/when-deleted';
const CRD = new URL('../../../crds', import.meta.url).pathname;
const streams = names(4);
const goes = { assignments: { whenDeleted: 'Delete' } };

let swarm: Swarm;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {} });
  operator = await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

const remove = (namespace: string): Promise<string> =>
  swarm.kubectl('-n', namespace, 'delete', 'swarmpool/tv');

const assignmentsOf = async (namespace: string): Promise<readonly string[]> => {
  const { items } = await swarm.api.list(kinds.ConfigMap, namespace);
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('tv-'));
};

/** The same pool again: its target is still there. */
const again = (pool: Pool, spec: object): Promise<unknown> =>
  swarm.create(kinds.SwarmPool, pool.namespace, 'tv', {
    spec: {
      workers: { selector: { matchLabels: { app: 'worker' } } },
      streams: streams.map((name) => ({ name })),
      ...spec,
    },
  });

describe('a deleted pool', () => {
  it('a deleted pool leaves its assignment and its workers, and a new pool continues without a move', async () => {
    const pool = await swarm.pool('kept', { streams, workers: 2 });
    await pool.converged(streams, 2);
    const before = await pool.published();
    await remove('kept');
    expect((await pool.published()).object.metadata.uid).toBe(before.object.metadata.uid);
    expect((await pool.running()).flatMap(({ jobs }) => jobs)).toHaveLength(4);
    await again(pool, {});
    await pool.converged(streams, 2);
    expect((await pool.published()).version).toBe(before.version);
  });

  it('a pool that is deleted with its workers and its assignment is forgotten: a new one starts over', async () => {
    const shape = { streams, workers: 2 };
    const pool = await swarm.pool('forgotten', shape);
    const beside = await swarm.pool('beside', { streams, workers: 1 });
    await beside.converged(streams, 1);
    await pool.converged(streams, 2);
    await pool.streams(streams.slice(1));
    await pool.converged(streams.slice(1), 2);
    await remove('forgotten');
    await swarm.kubectl('-n', 'forgotten', 'delete', 'statefulset/worker', '--cascade=foreground');
    for (const namespace of ['forgotten', 'beside'])
      await swarm.kubectl('-n', namespace, 'delete', 'configmap/tv-assignments');
    // The operator sees the deletions in order: once it has restored the second, it knows of the
    // first.
    await beside.until('is restored', ({ version }) => version === 2);
    await (await makePoolIn(swarm, 'forgotten', shape)).converged(streams, 2);
    expect((await pool.status())?.history?.at(-1)).toMatchObject({
      version: 1,
      reason: 'FirstPublication',
    });
  });

  it('whenDeleted Delete deletes all ConfigMaps of a pool, also the shards', async () => {
    const shards = { assignments: { whenDeleted: 'Delete', shards: 2 } };
    const sources = [0, 1].map((index) => ({
      configMap: { name: `tv-assignments-${index}`, optional: true },
    }));
    // The operator finds the shards by their label: these workers read a file that is in neither.
    await swarm.pool('gone', {
      streams,
      workers: 2,
      spec: shards,
      volume: { projected: { sources } },
    });
    await eventually('both exist', async () => (await assignmentsOf('gone')).length === 2);
    await swarm.create(kinds.ConfigMap, 'gone', 'tv-lineup', {
      data: { 'streams.txt': 'not ours' },
    });
    await remove('gone');
    await eventually(
      'only the foreign ConfigMap is left',
      async () => (await assignmentsOf('gone')).join() === 'tv-lineup',
    );
  });

  it('a pool that is created again at once keeps its ConfigMaps', async () => {
    const pool = await swarm.pool('anew', { streams, workers: 2, spec: goes });
    await pool.converged(streams, 2);
    const before = await pool.published();
    await unseenBy(operator, async () => {
      await remove('anew');
      await again(pool, {});
    });
    await eventually(
      'the mark is gone',
      async () =>
        dig((await pool.published()).object, 'metadata', 'annotations', MARK) === undefined,
    );
    expect((await pool.published()).object.metadata.uid).toBe(before.object.metadata.uid);
  });

  it('a pool whose CRD is deleted leaves its assignment, also when the CRD is installed again', async () => {
    const pool = await swarm.pool('defined', { streams, workers: 2, spec: goes });
    await pool.converged(streams, 2);
    const before = await pool.published();
    await swarm.kubectl('delete', '-f', CRD);
    await eventually(
      'the mark is gone',
      async () =>
        dig((await pool.published()).object, 'metadata', 'annotations', MARK) === undefined,
    );
    expect((await pool.running()).flatMap(({ jobs }) => jobs)).toHaveLength(4);
    await swarm.kubectl('apply', '-f', CRD);
    await definitionsServed((...args) => swarm.kubectl(...args));
    await again(pool, goes);
    await pool.converged(streams, 2);
    expect(await pool.published()).toMatchObject({
      version: before.version,
      object: { metadata: { uid: before.object.metadata.uid } },
    });
  });
});
