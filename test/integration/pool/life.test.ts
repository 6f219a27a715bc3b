// Does a SwarmPool keep its promises over its life, on a real API server with real processes as
// workers?

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { kinds } from '../../../src/api/kinds.ts';
import { isKubeObject, type KubeObject } from '../../../src/api/objects.ts';
import type { SwarmPoolStatus } from '../../../src/api/validate.ts';
import { eventually } from '../../support/processes.ts';
import { operatorWrites, publications } from '../support/audit.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

function kubeObjectIn(text: string): KubeObject {
  const object = load(text);
  if (!isKubeObject(object)) throw new Error('not an object');
  return object;
}

let swarm: Swarm;
const RESYNC_SECONDS = 1;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--resync-seconds', String(RESYNC_SECONDS));
});

afterAll(() => swarm.stop());

const convergedSince = ({ conditions }: SwarmPoolStatus): string | undefined =>
  conditions?.find(({ type }) => type === 'Converged')?.lastTransitionTime;

describe('the first prototype’s lineup', () => {
  it('the first prototype’s lineup is assigned to 2 workers exactly as in its table', async () => {
    await swarm.kubectl('apply', '-f', 'samples/tv/namespace.yaml');
    const workers = kubeObjectIn(
      readFileSync('samples/tv/workers.yaml', 'utf8').replace('replicas: 3', 'replicas: 2'),
    );
    await swarm.api.create(kinds.StatefulSet, workers);
    await swarm.kubectl('apply', '-f', 'samples/tv/pool.yaml');
    await swarm.kubectl(
      '-n',
      'swarm',
      'wait',
      '--for=condition=Converged',
      'swarmpool/tv',
      '--timeout=120s',
    );
    const list = (
      await swarm.kubectl(
        '-n',
        'swarm',
        'get',
        'swarmpool/tv',
        '-o',
        'jsonpath={.spec.streams[*].name}',
      )
    ).split(' ');
    const text = await swarm.kubectl(
      '-n',
      'swarm',
      'get',
      'configmap/tv-assignments',
      '-o',
      'jsonpath={.data.config\\.yml}',
    );
    const entry = (worker: number, jobs: readonly string[]): string =>
      [
        `  swarm-worker-${worker}:`,
        '    jobs:',
        ...jobs.map((job) => `      - ${job}`),
        '    version: 1',
      ].join('\n');
    expect(text).toBe(
      `format: 1\nworkloads:\n${entry(0, list.slice(0, 14))}\n${entry(1, list.slice(14))}\nversion: 1\n`,
    );
    await swarm.kubectl('delete', 'namespace', 'swarm', '--wait=false');
  });
});

describe('a pool', () => {
  const streams = names(27);
  let pool: Pool;

  it('a pool converges, verified by probing each worker', async () => {
    pool = await swarm.pool('life', { streams, workers: 3 });
    const status = await pool.converged(streams, 3);
    expect(status).toMatchObject({
      version: 1,
      readyReplicas: 3,
      selector: 'app=worker',
      target: 'StatefulSet/worker',
    });
    expect(await swarm.kubectl('-n', 'life', 'get', 'swarmpools')).toMatch(
      /NAME +VERSION +STREAMS +WORKERS +CONVERGED +FAILING +READY +REASON +AGE\ntv +1 +27 +3 +3 +0 +True +AllConfirmed /,
    );
  });

  it('the operator writes nothing in ten resyncs when nothing changes', async () => {
    // The operator's last message about a change, after its last write.
    await eventually('the operator has sent its last event', async () =>
      (await pool.events()).some(({ reason }) => reason === 'Converged'),
    );
    const before = operatorWrites(swarm.audit, 'life').length;
    const start = performance.now();
    await eventually(
      'ten resyncs have passed',
      () => performance.now() - start > 10 * RESYNC_SECONDS * 1_000,
    );
    expect(operatorWrites(swarm.audit, 'life').slice(before)).toEqual([]);
  });

  it('a pool loses and doubles no stream from 3 workers to 5 and back', async () => {
    await pool.scale(5);
    const up = await pool.converged(streams, 5);
    await pool.scale(3);
    const down = await pool.converged(streams, 3);
    expect(down.version).toBeGreaterThan(up.version ?? 0);
  });

  it('a change of one stream costs three writes: ConfigMap, one pod, status', async () => {
    const before = await pool.until(
      'the operator has sent its earlier events',
      ({ history, conditions }) => {
        const isDone = conditions?.find(({ type }) => type === 'Reconciling')?.status === 'False';
        return isDone && history?.[0]?.convergenceTime !== undefined;
      },
    );
    const earlier = publications(swarm.audit, 'life').length;
    await pool.streams([...streams, 'early']);
    const after = await pool.converged([...streams, 'early'], 3);
    const told = await pool.told(after.version);
    // By the time of the next change the audit log contains all writes for this one.
    await pool.streams([...streams, 'late']);
    await pool.converged([...streams, 'late'], 3);
    const [writes = [], ...later] = publications(swarm.audit, 'life').slice(earlier);
    expect(later).toHaveLength(1);
    expect(told).toHaveLength(1);
    // A slow worker was nudged again, and a status of its own says that it has yet to confirm.
    const isSlow = convergedSince(after) !== convergedSince(before);
    expect(writes.slice(0, 2)).toEqual(['configmaps', 'pods/status']);
    expect(writes.filter((what) => what === 'pods/status')).toHaveLength(told[0] ?? 0);
    expect(writes.filter((what) => what === 'swarmpools/status').length > 1).toBe(isSlow);
    expect(new Set(writes)).toEqual(new Set(['configmaps', 'pods/status', 'swarmpools/status']));
  });

  it('a killed worker restarts with the same streams, and no stream moves', async () => {
    const before = await pool.published();
    const node = swarm.playground.nodes[0];
    const victim = node?.pods.find(
      ({ name, namespace }) => name === 'worker-1' && namespace === 'life',
    );
    for (const pid of victim?.pids ?? []) process.kill(pid, 'SIGKILL');
    await eventually('the container restarted', async () => {
      const pod = await swarm.api.get(kinds.Pod, { namespace: 'life', name: 'worker-1' });
      return JSON.stringify(pod['status']).includes('"restartCount":1');
    });
    await pool.converged([...streams, 'late'], 3);
    expect((await pool.published()).version).toBe(before.version);
  });

  it('a pool reports its changes in events', async () => {
    const reasons = (await pool.events()).map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['Published', 'Converged']));
  });

  it('kubectl can wait for a pool', async () => {
    await swarm.kubectl(
      '-n',
      'life',
      'wait',
      '--for=condition=Ready',
      'swarmpool/tv',
      '--timeout=120s',
    );
  });

  it('a pool reports when it is scaled to 0, and recovers', async () => {
    await pool.scale(0);
    await pool.until(
      'has no worker',
      ({ streams: count, replicas }) => replicas === 0 && count?.unassigned === 28,
    );
    expect(await pool.condition('Ready')).toMatchObject({ status: 'False', reason: 'NoWorkers' });
    await pool.scale(2);
    await pool.converged([...streams, 'late'], 2);
  });

  it('a deleted pool keeps its workers running, and continues from their assignment when it is created again', async () => {
    const before = await pool.published();
    await swarm.kubectl('-n', 'life', 'delete', 'swarmpool/tv');
    expect((await pool.published()).version).toBe(before.version);
    await swarm.create(kinds.SwarmPool, 'life', 'tv', {
      spec: {
        workers: { selector: { matchLabels: { app: 'worker' } } },
        streams: [...streams, 'late'].reverse().map((name) => ({ name })),
      },
    });
    const status = await pool.converged([...streams, 'late'], 2);
    expect(status.version).toBe(before.version);
  });
});

describe('a ConfigMap', () => {
  const streams = names(6);
  let pool: Pool;

  it('a ConfigMap that a user has deleted is published again with a higher version', async () => {
    pool = await swarm.pool('hands', { streams, workers: 2 });
    await pool.converged(streams, 2);
    await swarm.kubectl('-n', 'hands', 'delete', 'configmap/tv-assignments');
    const status = await pool.until(
      'publishes again',
      ({ version, convergedReplicas }) => version === 2 && convergedReplicas === 2,
    );
    expect(status.history?.[0]?.reason).toBe('AssignmentLost');
    await pool.converged(streams, 2);
  });

  it('a ConfigMap is corrected after a manual edit, and its version does not fall', async () => {
    await swarm.kubectl(
      '-n',
      'hands',
      'patch',
      'configmap/tv-assignments',
      '-p',
      '{"data":{"config.yml":"rubbish: ["}}',
    );
    await pool.until('publishes again', ({ version }) => version === 3);
    await pool.converged(streams, 2);
  });

  it('a ConfigMap is corrected after each of several manual edits, and status reports the conflict', async () => {
    await swarm.kubectl(
      '-n',
      'hands',
      'patch',
      'configmap/tv-assignments',
      '-p',
      '{"data":{"config.yml":""}}',
    );
    await pool.until('publishes again', ({ version }) => version === 4);
    await pool.converged(streams, 2);
    const stalled = await pool.condition('Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'AssignmentsConflict' });
    expect(stalled?.message).toContain(
      'another client also writes config.yml of ConfigMap tv-assignments, and the operator reverted that 3 times',
    );
  });
});

it('a paused pool shows its plan, changes no object, and continues after the pause', async () => {
  const pool = await swarm.pool('paused', { streams: names(4), workers: 2 });
  await pool.converged(names(4), 2);
  const before = await pool.published();
  await pool.edit({ paused: true, streams: [...names(4), 'late'].map((name) => ({ name })) });
  const { plan } = await pool.until('has a plan', (status) => status.plan?.total === 1);
  expect(plan?.moves).toMatchObject([{ stream: 'late', reason: 'StreamsChanged' }]);
  expect(await pool.condition('Ready')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
  expect((await pool.published()).object.metadata.resourceVersion).toBe(
    before.object.metadata.resourceVersion,
  );
  await pool.edit({ paused: false });
  await pool.converged([...names(4), 'late'], 2);
});

describe('a pool that cannot work', () => {
  it.each([
    ['without a target', { workers: { targetRef: { name: 'nobody' } } }, 'Ready', 'TargetNotFound'],
    [
      'with a selector without a match',
      { workers: { selector: { matchLabels: { app: 'nobody' } } } },
      'Ready',
      'TargetNotFound',
    ],
  ])('a pool %s says so, and publishes nothing', async (title, spec, type, reason) => {
    const namespace = `cannot-${title.length}`;
    const pool = await swarm.pool(namespace, { streams: names(2), workers: 1, spec });
    await pool.until(
      'has a condition',
      ({ conditions }) =>
        conditions?.some((it) => it.type === type && it.reason === reason) === true,
    );
    await expect(pool.published()).rejects.toMatchObject({ code: 'NotFound' });
  });
});
