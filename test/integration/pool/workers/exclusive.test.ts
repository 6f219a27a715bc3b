// Does handoff Exclusive hold with real processes? For each stream they take a kernel lock, which
// no second process can have.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { parseSwarmPool } from '../../../../src/api/validate.ts';
import type { OperatorProcess } from '../../../../src/playground/operator-process.ts';
import { eventually } from '../../../support/processes.ts';
import { operatorWrites } from '../../support/audit.ts';
import type { Pool } from '../../support/pool.ts';
import { fenced, names, workload } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;
let operator: OperatorProcess;
const locks = mkdtempSync(path.join(tmpdir(), 'swarm-locks-'));
const streams = names(6);

/** While this file exists, no consumer ends. */
const hold = path.join(locks, 'hold');
/**
 * Holds the lock while it runs, and takes its time to end; a process that finds the lock held
 * leaves a trace.
 */
const end = `sleep 0.3; while [ -e ${hold} ]; do sleep 0.05; done; exit 0`;
const consume = `flock -n -E 99 "$0/$1.lock" sh -c 'trap "${end}" TERM; while :; do sleep 0.05; done' || { [ $? -ne 99 ] || touch "$0/$1.doubled"; }`;

beforeAll(async () => {
  // Mounted files lag for a minute, unless the pod itself changes: as on a real node.
  swarm = await Swarm.start({ node: { configMapPeriodMs: 60_000 } });
  operator = await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool('exclusive', {
    streams,
    workers: 2,
    spec: { handoff: { type: 'Exclusive' } },
    ...fenced('sh', '-c', consume, locks, '{stream}'),
  });
});

afterAll(async () => {
  await swarm.stop();
  rmSync(locks, { recursive: true });
});

const doubled = (): readonly string[] =>
  readdirSync(locks).filter((name) => name.endsWith('.doubled'));

const cordon = (ordinals: readonly number[]): Promise<void> =>
  pool.edit({ workers: { cordoned: ordinals } });

describe('handoff Exclusive', () => {
  it('a pool with handoff Exclusive converges, and no stream has two owners', async () => {
    await pool.converged(streams, 2);
    expect(doubled()).toEqual([]);
  });

  it('scaling up and down with Exclusive moves streams without a second owner', async () => {
    await pool.scale(4);
    await pool.converged(streams, 4);
    await pool.scale(1);
    await pool.converged(streams, 1);
    await pool.scale(3);
    await pool.converged(streams, 3);
    expect(doubled()).toEqual([]);
  });

  it('a stream has one owner while workers crash and pods are replaced during a move', async () => {
    await pool.streams(names(8));
    await swarm.kubectl('-n', 'exclusive', 'delete', 'pod', 'worker-1', '--wait=false');
    await pool.streams([...names(8).slice(2), 'late']);
    await pool.converged([...names(8).slice(2), 'late'], 3);
    const victim = swarm.playground.nodes[0]?.pods.find(
      ({ name, namespace }) => name === 'worker-0' && namespace === 'exclusive',
    );
    for (const pid of victim?.pids ?? []) process.kill(pid, 'SIGKILL');
    await pool.streams(names(8));
    await pool.converged(names(8), 3);
    expect(doubled()).toEqual([]);
  });

  it('a stream has one owner when the operator is killed during a handoff', async () => {
    writeFileSync(hold, '');
    await cordon([2]);
    await eventually('a stream is on its way', async () =>
      [...(await pool.published()).slices.values()].some(
        ({ releasing = [] }) => releasing.length > 0,
      ),
    );
    await operator.end('SIGKILL');
    rmSync(hold);
    await pool.scale(2);
    operator = await swarm.operator('--leader-election', 'false');
    await pool.converged(names(8), 2);
    expect(doubled()).toEqual([]);
  });

  // The writes are ConfigMap, both pods, ConfigMap, both pods, status; the test kills the operator
  // when the audit log shows the k-th. Two of them are tried with kernel locks; the simulation
  // kills after every one.
  it.each([1, 4])(
    'a stream has one owner when the operator is killed after %i of its writes',
    async (k) => {
      const writes = (): number => operatorWrites(swarm.audit, 'exclusive').length;
      const before = await pool.published();
      const written = writes();
      // All streams of one worker move to the other, and back.
      await cordon(k % 2 === 1 ? [0] : [1]);
      await eventually(`${k} writes`, () => writes() >= written + k);
      await operator.end('SIGKILL');
      operator = await swarm.operator('--leader-election', 'false');
      await pool.converged(names(8), 2);
      expect((await pool.published()).version).toBeGreaterThan(before.version);
      expect(doubled()).toEqual([]);
    },
  );

  it('a stream has one owner when the ConfigMap is lost', async () => {
    await cordon([]);
    await pool.until(
      'is even',
      ({ workers, convergedReplicas }) =>
        convergedReplicas === 2 && workers?.every(({ jobs }) => jobs?.length === 4) === true,
    );
    const before = await pool.running();
    await swarm.api.delete(kinds.ConfigMap, { namespace: 'exclusive', name: 'tv-assignments' });
    await eventually(
      'it is published again',
      async () => (await pool.published().catch(() => undefined)) !== undefined,
    );
    await pool.converged(names(8), 2);
    expect((await pool.running()).map(({ jobs }) => [...jobs].sort())).toEqual(
      before.map(({ jobs }) => [...jobs].sort()),
    );
    expect(doubled()).toEqual([]);
  });

  it('samples/exclusive gives one feed a worker alone, and keeps two feeds apart', async () => {
    await swarm.kubectl('apply', '-f', 'samples/tv/namespace.yaml');
    await swarm.kubectl('apply', '-k', 'samples/exclusive');
    await swarm.kubectl(
      '-n',
      'swarm',
      'wait',
      '--for=condition=Ready',
      'swarmpool/market',
      '--timeout=120s',
    );
    const text = await swarm.kubectl('-n', 'swarm', 'get', 'swarmpool/market', '-o', 'json');
    const { status } = parseSwarmPool(JSON.parse(text));
    const jobs = status?.workers?.map((worker) => worker.jobs ?? []) ?? [];
    expect(jobs.find((list) => list.includes('feed:xetra'))).toEqual(['feed:xetra']);
    expect(
      jobs.filter((list) => list.includes('feed:nyse') || list.includes('feed:nasdaq')),
    ).toHaveLength(2);
  });

  it('another StatefulSet gets a stream when its earlier worker has stopped it, and no other pool gets it', async () => {
    const shape = {
      streams: names(4, 't'),
      workers: 2,
      ...fenced('sh', '-c', consume, locks, '{stream}'),
    };
    const moving = await swarm.pool('moving', {
      ...shape,
      spec: { handoff: { type: 'Exclusive' }, workers: { targetRef: { name: 'worker' } } },
    });
    await moving.converged(shape.streams, 2);
    await swarm.create(kinds.StatefulSet, 'moving', 'other', workload(shape));
    await swarm.kubectl('-n', 'moving', 'rollout', 'status', 'statefulset/other', '--timeout=180s');
    writeFileSync(hold, '');
    await moving.edit({ workers: { targetRef: { name: 'other' } } });
    await moving.until(
      'waits for the earlier workers',
      ({ workers, conditions }) =>
        ['worker-0', 'worker-1'].every(
          (name) => workers?.some((it) => it.name === name && it.state === 'Releasing') === true,
        ) &&
        conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') === true,
    );
    await swarm.create(kinds.SwarmPool, 'moving', 'heir', {
      spec: { handoff: { type: 'Exclusive' }, workers: { targetRef: { name: 'worker' } } },
    });
    const stalled = (status: string): Promise<string> =>
      swarm.kubectl(
        '-n',
        'moving',
        'wait',
        'swarmpool/heir',
        `--for=condition=Stalled=${status}`,
        '--timeout=180s',
      );
    await stalled('True');
    expect(await swarm.kubectl('-n', 'moving', 'get', 'swarmpool/heir')).toContain(
      'TargetConflict',
    );
    rmSync(hold);
    await moving.until(
      'is Ready',
      ({ target, conditions }) =>
        target === 'StatefulSet/other' &&
        conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
    const running = (await moving.running()).filter(({ jobs }) => jobs.length > 0);
    expect(running.map(({ name }) => name).sort()).toEqual(['other-0', 'other-1']);
    await stalled('False');
    expect(doubled()).toEqual([]);
  });

  it('Exclusive is refused for pods that cannot see their own annotation', async () => {
    const bare = await swarm.pool('bare', {
      streams: names(2),
      workers: 1,
      spec: { handoff: { type: 'Exclusive' } },
    });
    await bare.until(
      'is stalled',
      ({ conditions }) => conditions?.some(({ reason }) => reason === 'NotFenced') === true,
    );
  });
});
