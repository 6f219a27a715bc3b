// How much code does a new kind need? A second kind beside pools, on a real API server: it reads
// the same Deployments, and each of the two works without the other.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { dig } from '../../../src/api/objects.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import type { PooledKubeConfig } from '../../../src/runtime/client/config.ts';
import { loadKubeConfig } from '../../../src/runtime/client/load-config.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { KindRunner } from '../../../src/runtime/engine/kind-runner.ts';
import { type MakeKind, type Running, runKinds } from '../../../src/runtime/run.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import { type Subscription, watchedFor } from '../../../src/runtime/watch/subscriptions.ts';
import { parseSettings } from '../../../src/settings.ts';
import { kindsOf } from '../../../src/wiring.ts';
import { eventually } from '../../support/processes.ts';
import { textOf } from '../support/audit.ts';
import { makePool } from '../support/pool.ts';
import { Swarm } from '../support/swarm.ts';
import { headcountController, headcountKind } from './headcount.ts';

const file = (name: string): string => new URL(name, import.meta.url).pathname;

let swarm: Swarm;
let config: PooledKubeConfig;
let running: Running | undefined;

beforeAll(async () => {
  // The comparison of permissions covers only the product's kinds.
  swarm = await Swarm.start({ keepsAudit: false });
  await swarm.kubectl('apply', '-f', file('definition.yaml'), '-f', file('rights.yaml'));
  await swarm.kubectl('wait', '--for=condition=Established', 'crd/headcounts.k8slab.info');
  config = loadKubeConfig({
    file: await swarm.kubeconfigOf('swarm-operator', 'swarm-operator'),
  });
});

afterEach(() => running?.stop());

afterAll(async () => {
  await swarm?.kubectl('delete', '-f', file('rights.yaml'), '-f', file('definition.yaml'));
  await config?.closeConnections();
  await swarm?.stop();
});

/** An operator in this process for these kinds. Returns what it watches, one watch each. */
async function run(
  userAgent: string,
  names: readonly ('pools' | 'headcounts')[],
): Promise<readonly string[]> {
  const parsed = parseSettings(['--leader-election=false'], {});
  if (parsed.wants !== 'run') throw new Error('the settings are wrong');
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const api = new KubeClient(config, { userAgent });
  const store = makeStore(api, poolMarks);
  const parts = {
    settings: parsed.settings,
    kubeConfig: config,
    api,
    leaseApi: api,
    clock: systemClock,
    log,
    identity: userAgent,
    ownNamespace: 'swarm-operator',
    crdFiles: [],
  };
  const makers: Record<'pools' | 'headcounts', MakeKind> = {
    ...kindsOf(parts, store),
    headcounts: (shared) => new KindRunner({ ...shared, controller: headcountController(store) }),
  };
  const subscriptions: Subscription[] = [];
  running = runKinds(
    parts,
    names.map((name) => (shared) => {
      const kind = makers[name](shared);
      subscriptions.push(...kind.subscriptions);
      return kind;
    }),
  );
  await eventually('it is synced', () => running?.isSynced() === true);
  return watchedFor(subscriptions)
    .map(({ kind }) => kind.plural)
    .sort();
}

const quiet = (): void => undefined;

const headcountOf = async (namespace: string): Promise<unknown> =>
  dig(await swarm.api.get(headcountKind, { namespace, name: 'team' }), 'status', 'replicas');

/** The API server's requests from this program. */
function requestsOf(userAgent: string): readonly { verb: unknown; resource: unknown }[] {
  return textOf(swarm.audit)
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
    .filter((entry) => dig(entry, 'userAgent') === userAgent)
    .map((entry) => ({ verb: dig(entry, 'verb'), resource: dig(entry, 'objectRef', 'resource') }));
}

it('a second kind shares one list and one watch of Deployments with pools', async () => {
  const watched = await run('swarm-both', ['pools', 'headcounts']);
  const pool = await makePool(swarm, 'both', { kind: 'Deployment', streams: ['a'], workers: 0 });
  await swarm.create(headcountKind, 'both', 'team', { spec: { deployment: 'worker' } });
  await eventually('the pool has a status', async () => (await pool.status()) !== undefined);
  await eventually('the count is 0', async () => (await headcountOf('both')) === 0);
  await swarm.kubectl('-n', 'both', 'scale', 'deployment/worker', '--replicas=3');
  await eventually('the count is 3', async () => (await headcountOf('both')) === 3);
  await eventually('the pool sees three', async () => (await pool.status())?.replicas === 3);
  expect(watched).toEqual([
    'configmaps',
    'deployments',
    'headcounts',
    'horizontalpodautoscalers',
    'pods',
    'replicasets',
    'statefulsets',
    'swarmpools',
  ]);
});

it.each([
  ['pools', ['swarmpools'], 'headcounts'],
  ['headcounts', ['headcounts'], 'swarmpools'],
] as const)(
  'an operator with --kinds %s sends no request for another kind',
  async (name, own, other) => {
    const userAgent = `swarm-only-${name}`;
    await run(userAgent, [name]);
    const namespace = `only-${name}`;
    const pool = await makePool(swarm, namespace, {
      kind: 'Deployment',
      streams: ['a'],
      workers: 0,
    });
    await swarm.create(headcountKind, namespace, 'team', { spec: { deployment: 'worker' } });
    await eventually('its own kind has a status', async () =>
      name === 'pools' ? (await pool.status()) !== undefined : (await headcountOf(namespace)) === 0,
    );
    await running?.stop();
    const resources = new Set(requestsOf(userAgent).map(({ resource }) => resource));
    expect([...resources]).toEqual(expect.arrayContaining([...own, 'deployments']));
    expect([...resources]).not.toContain(other);
  },
);
