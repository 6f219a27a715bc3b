// Does an uninstallation in any order hang, leave objects of ours behind, or disturb workers?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually } from '../../support/processes.ts';
import { batchJob, swarmJobSpec } from '../queue/accounts.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';
import { Overlays, repository, withoutOperator } from './overlays.ts';

const streams = names(4);
const allKinds = ['pools', 'groups', 'queues', 'jobs'];
/** Limits every kubectl deletion here: no object of ours may block it. */
const SECONDS = '--timeout=120s';

let swarm: Swarm;
let overlays: Overlays;
/** With everything that can be installed for the operator. */
let environment: string;
let pool: Pool;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {}, node: withoutOperator, keepsAudit: false });
  overlays = new Overlays(swarm);
  environment = overlays.write('environment', {
    resources: ['repository/envs/dev'],
  });
  await swarm.kubectl('apply', '-k', environment);
  operator = await startOperator();
  pool = await swarm.pool('left', { streams, workers: 2 });
  await pool.converged(streams, 2);
});

afterAll(async () => {
  await swarm?.stop();
  overlays?.remove();
});

const startOperator = (): Promise<OperatorProcess> => swarm.operator();

const remove = (...what: readonly string[]): Promise<string> =>
  swarm.kubectl('delete', ...what, SECONDS);

/** All cluster-wide objects with our name in theirs, and the namespace. */
async function whatIsLeft(): Promise<readonly string[]> {
  const everywhere =
    'ns,crd,clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,persistentvolumes,apiservices';
  const found = (await swarm.kubectl('get', everywhere, '-o', 'name')).split('\n');
  return found.filter((name) => /swarm|k8slab/.test(name));
}

/** Workers still run their streams, and the ConfigMap still exists. */
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
  operator = await startOperator();
}

const orders: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the CRDs first', () => remove('-f', `${repository}crds`)],
  ['the operator first', () => remove('-n', 'swarm-operator', 'deployment/swarm-operator')],
  ['the operator’s namespace first', () => remove('namespace', 'swarm-operator')],
  [
    'its permissions first',
    () =>
      remove(
        ...allKinds.flatMap((kind) => [
          `clusterrolebinding/swarm-operator-${kind}`,
          `clusterrole/swarm-operator-${kind}`,
        ]),
      ),
  ],
];

describe.each(orders)('an uninstall, %s', (title, first) => {
  let version: number;

  it('an uninstallation blocks no deletion', async () => {
    version = (await pool.published()).version;
    // The Deployment's pods have no image here; this is its process.
    if (title === 'the operator first') await operator.end();
    await first();
    await remove('-k', environment, '--ignore-not-found');
    await eventually('no object of it is left', async () => (await whatIsLeft()).length === 0);
  });

  it('an uninstallation leaves workers and assignment as they are, and the operator process runs on', async () => {
    await isUndisturbed(version);
    expect(operator.hasEnded).toBe(title === 'the operator first');
    if (!operator.hasEnded) await operator.end();
  });

  it('other users can write after an uninstallation', async () => {
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

  it('an operator that is installed again continues from the ConfigMap', async () => {
    await installAgain();
    const status = await pool.converged(streams, 2);
    expect(status.version).toBe(version);
  });
});

describe('while only the operator’s namespace is gone', () => {
  it("kubelets and users can write while only the operator's namespace is gone", async () => {
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
    // The node writes the status of the replacement pod.
    await swarm.kubectl('-n', 'left', 'delete', 'pod/worker-1');
    await swarm.kubectl('-n', 'left', 'wait', 'pod/worker-1', '--for=create', SECONDS);
    await swarm.kubectl('-n', 'left', 'wait', 'pod/worker-1', '--for=condition=Ready', SECONDS);
    await swarm.kubectl('apply', '-k', environment);
  });

  it("users can start the batch Jobs of SwarmJobs while only the operator's namespace is gone", async () => {
    const editor = ['create', 'rolebinding', 'editor', '--clusterrole=edit', '--user=somebody'];
    await swarm.kubectl('-n', 'left', ...editor);
    await swarm.create(kinds.SwarmQueue, 'left', 'batch', { spec: { quota: { pods: '1' } } });
    const swarmJob = await swarm.create(kinds.SwarmJob, 'left', 'lammps', swarmJobSpec());
    await swarm.api.create(kinds.Job, batchJob(swarmJob, 'left-behind'));
    const start = (): Promise<string> => {
      const body = JSON.stringify({ spec: { suspend: false } });
      const patch = ['patch', 'job/left-behind', '--type=merge', '-p', body, '--as=somebody'];
      return swarm
        .kubectl('-n', 'left', ...patch)
        .catch(({ stderr }: { stderr: string }) => stderr);
    };
    await eventually('the policies are in force', async () =>
      (await start()).includes('suspend the SwarmJob lammps instead'),
    );
    await remove('namespace', 'swarm-operator');
    await eventually('the batch Job is started', async () => (await start()).includes('patched'));
    await swarm.kubectl('apply', '-k', environment);
  });
});

describe('a namespace with pools', () => {
  it('a namespace with pools can be deleted with all its objects while the operator runs', async () => {
    operator = await swarm.operator();
    const other = await swarm.pool('goes', { streams, workers: 1 });
    await other.converged(streams, 1);
    await remove('namespace', 'goes');
    await expect(other.published()).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('the command in docs/install.md removes the objects that an uninstallation keeps', async () => {
    await remove('-n', 'left', 'swarmpool/tv');
    await remove('configmap', '-A', '-l', 'app.kubernetes.io/managed-by=swarm-operator');
    await expect(pool.published()).rejects.toMatchObject({ code: 'NotFound' });
  });
});
