// Taken away in whatever order: does anything hang, does anything of ours stay behind, and what do
// workers notice?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually } from '../../support/processes.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';
import { repository } from './overlays.ts';

const streams = names(4);
const environment = `${repository}envs/dev`;
/** Of whatever kubectl deletes here: nothing of ours may hold it up. */
const SECONDS = '--timeout=120s';

let swarm: Swarm;
let pool: Pool;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {}, keepsAudit: false });
  await swarm.kubectl('apply', '-k', environment);
  operator = await swarm.operator();
  pool = await swarm.pool('left', { streams, workers: 2 });
  await pool.converged(streams, 2);
}, 300_000);

afterAll(() => swarm?.stop());

const remove = (...what: readonly string[]): Promise<string> =>
  swarm.kubectl('delete', ...what, SECONDS);

/**
 * Everything that stands outside of namespaces, and the namespace: by name, all of it is ours that
 * has our name in it.
 */
async function whatIsLeft(): Promise<readonly string[]> {
  const everywhere =
    'ns,crd,clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,persistentvolumes,apiservices';
  const found = (await swarm.kubectl('get', everywhere, '-o', 'name')).split('\n');
  return found.filter((name) => /swarm|k8slab/.test(name));
}

/** Workers run what they ran, and the record of it stands. */
async function isUndisturbed(version: number): Promise<void> {
  const published = await pool.published();
  expect(published.version).toBe(version);
  expect(published.object.metadata.labels).toMatchObject({
    'k8slab.info/pool': 'tv',
    'app.kubernetes.io/managed-by': 'swarm-operator',
  });
  expect(published.object.metadata.finalizers ?? []).toEqual([]);
  expect((await pool.running()).flatMap(({ jobs }) => jobs).sort()).toEqual([...streams].sort());
}

async function installAgain(): Promise<void> {
  await swarm.kubectl('apply', '-k', environment);
  await definitionsServed((...args) => swarm.kubectl(...args));
  await swarm.create(kinds.SwarmPool, 'left', 'tv', {
    spec: {
      workers: { selector: { matchLabels: { app: 'worker' } } },
      streams: streams.map((name) => ({ name })),
    },
  });
  operator = await swarm.operator();
}

const orders: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the definitions first', () => remove('-f', `${repository}crds`)],
  ['the operator first', () => remove('-n', 'swarm-operator', 'deployment/swarm-operator')],
  ['the operator’s namespace first', () => remove('namespace', 'swarm-operator')],
  [
    'its rights first',
    () => remove('clusterrolebinding/swarm-operator-pools', 'clusterrole/swarm-operator-pools'),
  ],
];

describe.each(orders)('an uninstall, %s', (title, first) => {
  let version: number;

  it('blocks nothing', async () => {
    version = (await pool.published()).version;
    // The Deployment's pods have no image here; this is its process.
    if (title === 'the operator first') await operator.end();
    await first();
    await remove('-k', environment, '--ignore-not-found');
    await eventually('nothing of it is left', async () => (await whatIsLeft()).length === 0);
  });

  it('leaves workers at work and their assignment in place, and the operator does not end of it', async () => {
    await isUndisturbed(version);
    expect(operator.hasEnded).toBe(title === 'the operator first');
    if (!operator.hasEnded) await operator.end();
  });

  it('lets everybody else write what they may write', async () => {
    await swarm.kubectl(
      '-n',
      'left',
      'create',
      'configmap',
      'written-afterwards',
      '--from-literal=a=b',
    );
    await swarm.kubectl('-n', 'left', 'delete', 'configmap/written-afterwards');
  });

  it('installed again, it goes on from what stands there', async () => {
    await installAgain();
    const status = await pool.converged(streams, 2);
    expect(status.version).toBe(version);
  });
});

describe('while only the operator’s namespace is gone', () => {
  it('kubelets and people write as ever: a policy without its account holds nobody', async () => {
    await remove('namespace', 'swarm-operator');
    await operator.end();
    expect(
      (await whatIsLeft()).filter((name) => name.includes('admission')).length,
    ).toBeGreaterThan(0);
    await swarm.kubectl(
      '-n',
      'left',
      'create',
      'configmap',
      'written-meanwhile',
      '--from-literal=a=b',
    );
    // The node writes the status of the pod that takes its place.
    await swarm.kubectl('-n', 'left', 'delete', 'pod/worker-1');
    await swarm.kubectl('-n', 'left', 'wait', 'pod/worker-1', '--for=create', SECONDS);
    await swarm.kubectl('-n', 'left', 'wait', 'pod/worker-1', '--for=condition=Ready', SECONDS);
    await swarm.kubectl('apply', '-k', environment);
  });
});

describe('a namespace with pools in it', () => {
  it('goes while the operator is at work, and with it all that is there', async () => {
    operator = await swarm.operator();
    const other = await swarm.pool('goes', { streams, workers: 1 });
    await other.converged(streams, 1);
    await remove('namespace', 'goes');
    await expect(other.published()).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is as it was before, once the command in docs/install.md has removed what is kept', async () => {
    await remove('-n', 'left', 'swarmpool/tv');
    await remove('configmap', '-A', '-l', 'app.kubernetes.io/managed-by=swarm-operator');
    await expect(pool.published()).rejects.toMatchObject({ code: 'NotFound' });
  });
});
