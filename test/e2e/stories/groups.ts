// Does a group keep its promises where pods start on real nodes, and some never do?
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, asString, dig } from '../../../src/api/objects.ts';
import { serveExternalMetrics } from '../../integration/support/external-metrics.ts';
import { type Group, type GroupShape, makeGroup } from '../../integration/support/group.ts';
import { create } from '../../integration/support/pool.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import type { World } from '../world.ts';

/** Nothing listens there. */
const NO_IMAGE = 'localhost:1/none:1';
const TIMEOUT_SECONDS = 8;
const stages = ['db', 'front', 'webui'];
/** Requests would fill the nodes. */
const resources = {};
const runs = { container: { image: 'pause:e2e', resources } };
const fails = { container: { image: NO_IMAGE, resources } };
const quotas = { group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' };

export function groups(world: () => World): void {
  const made: string[] = [];
  const make = (namespace: string, shape: GroupShape): Promise<Group> => {
    made.push(namespace);
    return makeGroup(world(), namespace, shape);
  };

  afterAll(async () => {
    if (made.length > 0) await world().kubectl('delete', 'namespace', ...made, '--wait=false');
  });

  let broken: Group;

  it('a group is scaled down while no pod of it is Ready', async () => {
    broken = await make('group-broken', {
      members: { broken: { replicas: 6, ...fails } },
      spec: {
        replicas: 6,
        members: [deployment('broken')],
        transition: { timeoutSeconds: TIMEOUT_SECONDS, onTimeout: 'Rollback' },
      },
    });
    await broken.until('waits for its pods', ({ replicas }) => replicas === 6);
    await broken.edit({ replicas: 2 });
    await broken.until('has 2 replicas', ({ transition }) => transition?.state === 'Completed');
    expect(await broken.replicas('Deployment', 'broken')).toBe(2);
  });

  it('a group restores all members when the image of one does not exist, and names that one', async () => {
    const group = await makeStaged('group-image');
    await group.kubectl('set', 'image', 'deployment/webui', `main=${NO_IMAGE}`);
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=4');
    await goesBack(group, 'the image of one is not there');
  });

  it('a group restores all members when one has lost all its pods', async () => {
    const group = await makeStaged('group-lost');
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=4');
    await group.until('has noted what each had', ({ transition }) => transition?.to === 4);
    await group.kubectl('patch', 'deployment/webui', `--patch=${JSON.stringify(replaced)}`);
    await goesBack(group, 'one has lost all its pods');
  });

  async function makeStaged(namespace: string): Promise<Group> {
    const group = await make(namespace, {
      members: Object.fromEntries(stages.map((name) => [name, runs])),
      spec: {
        replicas: 2,
        members: stages.map((name, stage) => ({ ...deployment(name), stage })),
        transition: { order: 'Staged', timeoutSeconds: TIMEOUT_SECONDS, onTimeout: 'Rollback' },
      },
    });
    await group.atSize(2);
    return group;
  }

  /** From a size of 4 that only `webui` has not reached. */
  async function goesBack(group: Group, why: string): Promise<void> {
    await group.until('goes back', ({ transition }) =>
      ['RollingBack', 'RolledBack'].includes(transition?.state ?? ''),
    );
    const start = performance.now();
    const { replicas, transition } = await rolledBack(group);
    const took = secondsSince(start);
    const most = stages.length * TIMEOUT_SECONDS;
    note({
      name: `a group of ${stages.length} stages is rolled back: ${why}`,
      value: seconds(took),
      target: `<= ${most} s`,
      isReached: took <= most,
      note: `timeoutSeconds ${TIMEOUT_SECONDS}`,
    });
    expect(replicas).toBe(2);
    for (const name of stages) expect(await group.replicas('Deployment', name)).toBe(2);
    expect(transition).toMatchObject({
      from: 2,
      to: 4,
      message: expect.stringMatching(/^Deployment\/webui: \d of 4 are ready \(ImagePullBackOff\)$/),
    });
  }

  it('a group goes back to the last size that was reached, not to where the scale-up began', async () => {
    const group = await make('group-climb', {
      members: { web: { replicas: 2, ...runs } },
      spec: {
        replicas: 2,
        members: [deployment('web')],
        transition: { timeoutSeconds: TIMEOUT_SECONDS, onTimeout: 'Rollback' },
      },
    });
    await group.atSize(2);
    await create(world().api, { ...quotas, namespaced: true }, group.namespace, 'seven', {
      spec: { hard: { pods: '7' } },
    });
    for (const size of [4, 6]) {
      await group.edit({ replicas: size });
      await group.until(`has ${size} replicas`, ({ replicas }) => replicas === size);
    }
    await group.edit({ replicas: 8 });
    const { replicas, transition, history } = await rolledBack(group);
    expect(history?.map(({ to, outcome }) => `${to} ${outcome}`)).toEqual([
      '8 RolledBack',
      '6 Superseded',
      '4 Superseded',
    ]);
    expect(transition).toMatchObject({ from: 6, to: 8 });
    expect(replicas).toBe(6);
    expect(await group.replicas('Deployment', 'web')).toBe(6);
  });

  it('a transition times out though its size changes every two seconds', async () => {
    const group = await make('group-moved', {
      members: { front: runs, webui: fails },
      spec: {
        replicas: 1,
        members: [deployment('front'), deployment('webui')],
        transition: { timeoutSeconds: TIMEOUT_SECONDS },
      },
    });
    await group.until('has its size', ({ replicas }) => replicas === 1);
    const start = performance.now();
    await eventually('the group times out', async () => {
      const { history } = (await group.status()) ?? {};
      if (history?.some(({ outcome }) => outcome === 'TimedOut') === true) return true;
      const size = await sizeOf(group);
      await group.edit({ replicas: size === 3 ? 4 : 3 });
      await delay(2_000);
      return false;
    });
    note({
      name: 'a group whose size is moved every 2 s, a member is stuck: timed out',
      value: seconds(secondsSince(start)),
      note: `timeoutSeconds ${TIMEOUT_SECONDS}`,
    });
    const { transition } = await group.until(
      'keeps its last size',
      ({ transition: last }) => last?.state === 'TimedOut',
    );
    expect(transition?.message).toMatch(/^Deployment\/webui: 0 of \d are ready/);
    for (const name of ['front', 'webui'])
      expect(await group.replicas('Deployment', name)).toBe(await sizeOf(group));
  });

  async function sizeOf({ namespace }: Group): Promise<number> {
    const found = await world().api.get(kinds.SwarmGroup, { namespace, name: 'shop' });
    return asNumber(dig(found, 'spec', 'replicas')) ?? 0;
  }

  it('a group follows a HorizontalPodAutoscaler with a Value up and down, and never overshoots', async () => {
    const group = await make('group-hpa', {
      members: { front: runs, web: { replicas: 2, ...runs } },
      spec: { replicas: 1, members: [{ ...deployment('web'), ratio: 2 }, deployment('front')] },
    });
    let load = 160;
    const metrics = await serveExternalMetrics(world(), async () => load / (await sizeOf(group)));
    try {
      // It looks for new kinds every half minute, and when it starts.
      await world().cluster.plane.restart(['controllerManager']);
      await group.atSize(1);
      await create(world().api, kinds.HorizontalPodAutoscaler, group.namespace, 'shop', {
        spec: autoscaler,
      });
      await group.atSize(4);
      expect(await group.replicas('Deployment', 'web')).toBe(8);
      load = 40;
      await group.atSize(1);
      const { items } = await world().api.list(kinds.Event, group.namespace);
      const asked = items.flatMap(
        ({ message: text }) => /^New size: \d+;/.exec(asString(text) ?? '') ?? [],
      );
      expect([...new Set(asked)].sort()).toEqual(['New size: 1;', 'New size: 4;']);
    } finally {
      await metrics.remove();
    }
  });

  it('a group that was scaled down stays so, as long as no pod of it is Ready', async () => {
    const { replicas, history } = (await broken.status()) ?? {};
    expect(replicas).toBe(2);
    expect(history?.[0]).toMatchObject({ from: 6, to: 2, outcome: 'Completed' });
    expect(await broken.replicas('Deployment', 'broken')).toBe(2);
  });
}

const deployment = (name: string) => ({ kind: 'Deployment', name });

/** Of a Deployment: all its pods at once. */
const replaced = {
  spec: {
    strategy: { type: 'Recreate', rollingUpdate: null },
    template: { spec: { containers: [{ name: 'main', image: NO_IMAGE }] } },
  },
};

const rolledBack = (group: Group) =>
  group.until('has rolled back', ({ transition }) => transition?.state === 'RolledBack');

/** One unit of the size for 40 of the metric. */
const autoscaler = {
  scaleTargetRef: { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmGroup', name: 'shop' },
  minReplicas: 1,
  maxReplicas: 10,
  metrics: [
    {
      type: 'External',
      external: { metric: { name: 'load-of-each' }, target: { type: 'Value', value: '40' } },
    },
  ],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
};
