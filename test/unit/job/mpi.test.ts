// What is made for a job whose first rank starts processes on the others by ssh?
import { describe, expect, it } from '@jest/globals';
import { asList, dig } from '../../../src/api/objects.ts';
import type { Step } from '../../../src/core/decision.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const mpi = (launcher: object = {}, spec: object = {}): JobCluster =>
  new JobCluster({ size: 3, launcher: { type: 'MPI', ...launcher }, ...spec });

const keysIn = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.do === 'createKeys' ? [step.object] : []));

const podSpecOf = ({ batchJob }: JobCluster): unknown => dig(batchJob, 'spec', 'template', 'spec');

describe('a job with launcher MPI', () => {
  it('the keys are created before the batch Job is started, and belong to it', () => {
    const cluster = mpi().admit();
    const steps = cluster.rest();
    expect(textsOf(steps).slice(0, 5)).toEqual([
      ...['create Service', 'create ConfigMap', 'create Job', 'create Secret'],
      'operate test k8slab.info~1grant 2, replace suspend false',
    ]);
    expect(keysIn(steps)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'k8slab.info/job-keys',
        immutable: true,
        metadata: {
          name: 'k8slab-keys-sim-2',
          namespace: 'hpc',
          labels: expect.objectContaining({ 'k8slab.info/job': 'sim' }),
          ownerReferences: [
            {
              ...{ apiVersion: 'batch/v1', kind: 'Job', name: 'sim', controller: true },
              uid: cluster.batchJob?.metadata.uid,
            },
          ],
        },
      },
    ]);
  });

  it('a batch Job with ssh gets its keys, though its user has chosen another launcher since', () => {
    const cluster = mpi().admit();
    cluster.step();
    cluster.edit({ launcher: { type: 'Leader' } });
    expect(keysIn(cluster.rest())).toHaveLength(1);
  });

  it('each attempt has keys of its own', () => {
    const cluster = mpi({}, { retries: { application: 1 } }).admit();
    cluster.rest();
    cluster.controllerSyncs().podsReady().rest();
    cluster.podsEnd({ exitCode: 1 }, 0).controllerSyncs().terminatingEnd().controllerSyncs();
    cluster.rest();
    cluster.entry = undefined;
    const steps = cluster.later(60_000).admit().rest();
    expect(keysIn(steps).map(({ metadata }) => metadata.name)).toEqual(['k8slab-keys-sim-4']);
  });

  it('only the container main has the keys, and a folder in memory', () => {
    const cluster = mpi(
      {},
      { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } },
    ).admit();
    cluster.rest();
    const [main, side] = asList(dig(podSpecOf(cluster), 'containers'));
    const files = { name: 'k8slab-swarm', mountPath: '/etc/swarm', readOnly: true };
    expect(dig(main, 'volumeMounts')).toEqual([
      files,
      { name: 'k8slab-keys', mountPath: '/etc/swarm-keys', readOnly: true },
      { name: 'k8slab-run', mountPath: '/run/swarm' },
    ]);
    expect(dig(side, 'volumeMounts')).toEqual([files]);
    const volumes = asList(dig(podSpecOf(cluster), 'volumes'));
    expect(volumes.slice(1)).toEqual([
      { name: 'k8slab-keys', secret: { secretName: 'k8slab-keys-sim-2', defaultMode: 0o444 } },
      { name: 'k8slab-run', emptyDir: { medium: 'Memory' } },
    ]);
  });

  it.each(['MPI', 'Flux'])('%s of one rank runs the command itself, without keys', (type) => {
    const cluster = new JobCluster({ size: 1, launcher: { type } }).admit();
    expect(keysIn(cluster.rest())).toEqual([]);
    const [main] = asList(dig(podSpecOf(cluster), 'containers'));
    expect(dig(main, 'command')).toEqual(['run']);
    const names = asList(dig(podSpecOf(cluster), 'volumes')).map((it) => dig(it, 'name'));
    expect(names).toEqual(['k8slab-swarm']);
  });

  it.each([
    [{}, ['mpi', '3', '2222']],
    [{ tasks: 8, port: 3333 }, ['mpi', '8', '3333']],
  ])('the start script gets the tasks and the port: %j', (launcher, words) => {
    const cluster = mpi(launcher).admit();
    cluster.rest();
    const [main] = asList(dig(podSpecOf(cluster), 'containers'));
    expect(dig(main, 'command')).toEqual(['/bin/sh', '/etc/swarm/start', ...words, 'run']);
  });
});
