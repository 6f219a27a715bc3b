// Does a pool work on a Deployment's pods? Slots outlive the pods: through scaling, a rolling
// update with surge, and a drain by a pool that leads.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import { parseSwarmPool } from '../../../../src/api/validate.ts';
import type { Pool } from '../../support/pool.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

const scale = (namespace: string, what: string, replicas: number): Promise<string> =>
  swarm.kubectl('-n', namespace, 'scale', what, `--replicas=${replicas}`);

/** Slot -> its streams. */
async function slots(pool: Pool): Promise<ReadonlyMap<number | undefined, readonly string[]>> {
  const { slices } = await pool.published();
  return new Map([...slices.values()].map(({ slot, jobs }) => [slot, [...jobs].sort()]));
}

describe('a pool on a Deployment', () => {
  const streams = names(12);
  let pool: Pool;

  it('a pool on a Deployment converges, with each pod in a slot of its own', async () => {
    pool = await swarm.pool('web', { kind: 'Deployment', streams, workers: 3 });
    const status = await pool.converged(streams, 3);
    expect(status.target).toBe('Deployment/worker');
    expect(status.workers?.map(({ slot }) => slot)).toEqual([0, 1, 2]);
  });

  it('a rolling update with surge moves no stream to another slot', async () => {
    const before = await slots(pool);
    const old = new Set((await pool.pods()).map(({ metadata }) => metadata.name));
    await swarm.kubectl('-n', 'web', 'rollout', 'restart', 'deployment/worker');
    await pool.until('has new pods only', async () => {
      const pods = await pool.pods();
      return pods.length === 3 && pods.every(({ metadata }) => !old.has(metadata.name));
    });
    const status = await pool.converged(streams, 3);
    expect(await slots(pool)).toEqual(before);
    expect(
      status.history
        ?.filter(({ reason }) => reason === 'WorkerReplaced')
        .every(({ moves }) => moves === 0),
    ).toBe(true);
    expect(status.history?.map(({ reason }) => reason)).toContain('WorkerReplaced');
  });

  it('the remaining slots keep their streams when the Deployment is scaled', async () => {
    await scale('web', 'deployment/worker', 5);
    await pool.converged(streams, 5);
    const before = (await pool.published()).slices;
    await scale('web', 'deployment/worker', 3);
    await pool.converged(streams, 3);
    for (const [name, { jobs }] of (await pool.published()).slices)
      expect(jobs).toEqual(expect.arrayContaining([...(before.get(name)?.jobs ?? [])]));
  });

  it('a slot keeps its streams when its pod is deleted by force and another pod replaces it', async () => {
    const before = await slots(pool);
    const [victim] = await pool.pods();
    await swarm.kubectl(
      '-n',
      'web',
      'delete',
      'pod',
      victim?.metadata.name ?? '',
      '--grace-period=0',
      '--force',
    );
    await pool.until('replaced it', async () =>
      (await pool.pods()).every(({ metadata }) => metadata.name !== victim?.metadata.name),
    );
    await pool.converged(streams, 3);
    expect(await slots(pool)).toEqual(before);
  });

  it('a pool on a Deployment works after scaling to 0 and back', async () => {
    await scale('web', 'deployment/worker', 0);
    await pool.until(
      'has no worker',
      ({ replicas, streams: counts }) => replicas === 0 && counts?.unassigned === streams.length,
    );
    await scale('web', 'deployment/worker', 2);
    await pool.converged(streams, 2);
  });
});

it('samples/deployment converges, with its pinned stream in slot 0', async () => {
  await swarm.kubectl('apply', '-f', 'samples/tv/namespace.yaml');
  await swarm.kubectl('apply', '-k', 'samples/deployment');
  await swarm.kubectl(
    '-n',
    'swarm',
    'wait',
    '--for=condition=Converged',
    '--timeout=120s',
    'swarmpool/sites',
  );
  const { items } = await swarm.api.list(kinds.SwarmPool, 'swarm');
  const workers =
    parseSwarmPool(items[0] ?? { apiVersion: '', kind: '', metadata: { name: '' } }).status
      ?.workers ?? [];
  expect(workers.find(({ slot }) => slot === 0)?.jobs).toContain('news:local');
  expect(workers.flatMap(({ jobs = [] }) => jobs)).toHaveLength(5);
});

describe('a pool with scaling Lead on a Deployment', () => {
  const streams = names(8);

  it('scaling Lead empties pods, and the Deployment deletes exactly those', async () => {
    const workers = {
      kind: 'Deployment',
      selector: { matchLabels: { app: 'worker' } },
      scaling: 'Lead',
      replicas: 4,
    };
    const pool = await swarm.pool('led', {
      kind: 'Deployment',
      streams,
      workers: 4,
      spec: { workers },
    });
    await pool.converged(streams, 4);
    const before = (await pool.published()).slices;
    const staying = [...before].filter(([, { slot = 0 }]) => slot < 2).map(([name]) => name);
    await scale('led', 'swarmpool/tv', 2);
    await pool.converged(streams, 2);
    expect((await pool.pods()).map(({ metadata }) => metadata.name).sort()).toEqual(
      [...staying].sort(),
    );
    expect((await pool.events()).find(({ reason }) => reason === 'Scaled')?.note).toBe(
      'Deployment/worker 4 -> 2: the surplus workers are drained',
    );
  });

  it('the pods that stay have no deletion cost', async () => {
    const pods = (await swarm.api.list(kinds.Pod, 'led')).items;
    for (const pod of pods)
      expect(
        dig(pod, 'metadata', 'annotations', 'controller.kubernetes.io/pod-deletion-cost'),
      ).toBeUndefined();
  });
});

describe('settings that a Deployment does not support', () => {
  const workers = { kind: 'Deployment', selector: { matchLabels: { app: 'worker' } } };

  it.each([
    [
      'handoff',
      { handoff: { type: 'Exclusive' } },
      'handoff.type Exclusive works with StatefulSets only',
    ],
    [
      'refresh',
      { refresh: { mode: 'Restart' } },
      'refresh.mode Restart works with StatefulSets only',
    ],
    ['probe', { probe: { type: 'None' } }, 'probe.type None works with StatefulSets only'],
  ])('the API server refuses a %s that needs a StatefulSet', async (_, spec, message) => {
    const pool = {
      metadata: { name: 'bad', namespace: 'web' },
      spec: { streams: [{ name: 'a' }], workers, ...spec },
    };
    const creation = swarm.create(kinds.SwarmPool, 'web', 'bad', pool);
    await expect(creation).rejects.toThrow(message);
  });

  it('a selector that matches both kinds is refused until spec.workers.kind names one', async () => {
    const pool = await swarm.pool('both', { streams: names(2), workers: 1 });
    await pool.converged(names(2), 1);
    const labels = { app: 'worker' };
    const template = {
      metadata: { labels: { app: 'other' } },
      spec: { containers: [{ name: 'main', image: 'swarm-worker:test' }] },
    };
    await swarm.create(kinds.Deployment, 'both', 'other', {
      metadata: { labels },
      spec: { replicas: 0, selector: { matchLabels: { app: 'other' } }, template },
    });
    const status = await pool.until(
      'is stalled',
      ({ conditions }) => conditions?.some(({ reason }) => reason === 'AmbiguousTarget') === true,
    );
    expect(status.conditions?.find(({ type }) => type === 'Stalled')?.message).toBe(
      'spec.workers.selector matches StatefulSet/worker and Deployment/other; set spec.workers.kind to choose one',
    );
    await pool.edit({ workers: { kind: 'StatefulSet' } });
    await pool.converged(names(2), 1);
  });
});
