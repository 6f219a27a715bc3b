// Does a group scale its members as one, on a real API server with the real controllers?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { type Group, makeGroup } from '../support/group.ts';
import { makePoolIn, Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

const deployments = (...members: readonly string[]) =>
  members.map((name) => ({ kind: 'Deployment', name }));

/** The second member gets pods whose image does not exist. */
async function breakMember(group: Group, name: string): Promise<void> {
  const spec = {
    strategy: { type: 'Recreate', rollingUpdate: null },
    template: { spec: { containers: [{ name: 'main', image: 'none' }] } },
  };
  await group.kubectl('patch', `deployment/${name}`, `-p=${JSON.stringify({ spec })}`);
  await group.until('has a broken member', ({ members }) => members?.[1]?.ready === 0);
}

describe('a group with policy Manual', () => {
  it('kubectl scale scales a group with its members, and status shows them', async () => {
    const group = await makeGroup(swarm, 'manual', {
      members: { front: {}, cache: { kind: 'StatefulSet' } },
      spec: {
        replicas: 1,
        members: [
          { kind: 'Deployment', name: 'front', ratio: '1.5' },
          { kind: 'StatefulSet', name: 'cache', maxReplicas: 2 },
        ],
      },
    });
    await group.atSize(1);
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=3');
    const status = await group.atSize(3);
    expect(await group.replicas('Deployment', 'front')).toBe(5);
    expect(await group.replicas('StatefulSet', 'cache')).toBe(2);
    expect(status.transition).toMatchObject({
      state: 'Completed',
      from: 1,
      to: 3,
      before: [
        { kind: 'Deployment', name: 'front', replicas: 2 },
        { kind: 'StatefulSet', name: 'cache', replicas: 1 },
      ],
    });
    expect(status.history?.[0]?.totalMilliseconds).toBeGreaterThan(0);
    const shown = await group.kubectl('get', 'swg', '-o', 'wide');
    expect(shown.replaceAll(/ +/g, ' ')).toMatch(
      /^NAME SIZE WANTED MEMBERS READY STATE POLICY TOOK \(MS\) REASON AGE\nshop 3 3 2 2 Completed Manual \d+ AllReady \d+s\n$/,
    );
  });

  it('kubectl get -o wide shows the wanted size and no time of the transition before', async () => {
    const group = await makeGroup(swarm, 'wide', {
      members: { a: {}, slow: {} },
      spec: { replicas: 1, members: deployments('a', 'slow') },
    });
    await group.atSize(1);
    await group.edit({ replicas: 2 });
    await group.atSize(2);
    await breakMember(group, 'slow');
    await group.edit({ replicas: 3 });
    const { history } = await group.until(
      'scales',
      ({ transition }) => transition?.state === 'Scaling' && transition.to === 3,
    );
    expect(history?.[0]?.totalMilliseconds).toBeGreaterThan(0);
    const shown = await group.kubectl('get', 'swg', '-o', 'wide');
    expect(shown.replaceAll(/ +/g, ' ')).toMatch(
      /WANTED .*TOOK \(MS\) REASON AGE\nshop \d 3 2 \d Scaling Manual [A-Z]\w+ \d+s\n$/,
    );
  });

  it('a group scales to 0 and back, and takes over a size that is left out', async () => {
    const group = await makeGroup(swarm, 'zero', {
      members: { a: { replicas: 2 }, b: { replicas: 2 } },
      spec: { members: deployments('a', 'b') },
    });
    await group.atSize(2);
    expect(await group.replicas('Deployment', 'b')).toBe(2);
    await group.edit({ replicas: 0 });
    await group.atSize(0);
    await group.edit({ replicas: 1 });
    await group.atSize(1);
  });

  it('a staged group waits for each stage, up and down', async () => {
    const group = await makeGroup(swarm, 'staged', {
      members: { db: { startsIn: 2 }, web: {} },
      spec: {
        replicas: 1,
        members: [
          { kind: 'Deployment', name: 'db', stage: 0 },
          { kind: 'Deployment', name: 'web', stage: 1 },
        ],
        transition: { order: 'Staged' },
      },
    });
    await group.atSize(1);
    await group.edit({ replicas: 2 });
    await group.until('waits for db', ({ transition }) => transition?.stage === 0);
    expect(await group.replicas('Deployment', 'web')).toBe(1);
    const { transition } = await group.atSize(2);
    const [db, web] = transition?.times?.members ?? [];
    expect(web?.patchMilliseconds).toBeGreaterThanOrEqual(db?.readyMilliseconds ?? Infinity);
  });

  it('a group rolls back a size that does not become ready in time', async () => {
    const group = await makeGroup(swarm, 'rollback', {
      members: { a: {}, slow: { startsIn: 0 } },
      spec: {
        replicas: 1,
        members: deployments('a', 'slow'),
        transition: { timeoutSeconds: 3, onTimeout: 'Rollback' },
      },
    });
    await group.atSize(1);
    await breakMember(group, 'slow');
    await group.edit({ replicas: 2 });
    const { transition, replicas } = await group.until(
      'has rolled back',
      ({ transition: last }) => last?.state === 'RolledBack',
    );
    expect(transition).toMatchObject({
      from: 1,
      to: 2,
      message: 'Deployment/slow: 0 of 2 are ready (ImagePullBackOff)',
    });
    expect(replicas).toBe(1);
    expect(await group.replicas('Deployment', 'a')).toBe(1);
    expect(await group.replicas('Deployment', 'slow')).toBe(1);
  });

  it('a group scales a leading pool, which empties its workers before they end', async () => {
    const streams = names(4);
    const group = await makeGroup(swarm, 'with-pool', {
      members: {},
      spec: { replicas: 1, members: [{ kind: 'SwarmPool', name: 'tv', ratio: 2 }] },
    });
    await makePoolIn(swarm, 'with-pool', {
      streams,
      workers: 2,
      spec: { workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead' } },
    });
    const pool = new Pool(swarm, 'with-pool');
    await pool.converged(streams, 2);
    await group.edit({ replicas: 2 });
    await group.atSize(2);
    await pool.converged(streams, 4);
    await group.edit({ replicas: 1 });
    await group.atSize(1);
    await pool.converged(streams, 2);
  });
});

describe('a member that an autoscaler, an older group or a user scales', () => {
  it('a group leaves a member to a HorizontalPodAutoscaler, and says so', async () => {
    const group = await makeGroup(swarm, 'autoscaler', {
      members: { a: {}, b: {} },
      spec: { replicas: 1, members: deployments('a', 'b') },
    });
    await group.atSize(1);
    await swarm.create(kinds.HorizontalPodAutoscaler, 'autoscaler', 'a-hpa', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
    });
    await group.edit({ replicas: 2 });
    await group.until(
      'reports the conflict',
      ({ conditions, members }) =>
        conditions?.some(
          ({ type, reason }) => type === 'Conflicted' && reason === 'AutoscalerConflict',
        ) === true &&
        members?.[1]?.state === 'Ready' &&
        members[1].replicas === 2,
    );
    expect(await group.replicas('Deployment', 'a')).toBe(1);
    expect(await group.replicas('Deployment', 'b')).toBe(2);
  });

  it('a group leaves a member to an older group', async () => {
    const older = await makeGroup(swarm, 'two', {
      members: { a: {} },
      spec: { replicas: 2, members: deployments('a') },
    });
    await older.atSize(2);
    await swarm.create(kinds.SwarmGroup, 'two', 'younger', {
      spec: { replicas: 5, selector: { matchLabels: { app_name: 'shop' } } },
    });
    await older.until('sees the younger yield', async () => {
      const young = await swarm.api.get(kinds.SwarmGroup, { namespace: 'two', name: 'younger' });
      return JSON.stringify(young).includes('the older SwarmGroup shop scales it');
    });
    expect(await older.replicas('Deployment', 'a')).toBe(2);
    await older.kubectl('delete', 'swarmgroup/shop');
    await older.kubectl('wait', '--for=condition=Ready', 'swarmgroup/younger', '--timeout=60s');
    expect(await older.replicas('Deployment', 'a')).toBe(5);
  });
});
