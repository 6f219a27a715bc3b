// Do objects stay behind when all of it is deleted, operator and CRDs first?

import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { Jobs } from '../jobs.ts';
import type { World } from '../world.ts';

const namespace = 'left';
const OF_JOBS = 'jobs,pods,secrets,services,configmaps';

export function uninstall(world: () => World): void {
  const jobs = new Jobs(world, namespace, { image: 'example.org/hpc:1' });

  it('workers go on when the operator and its CRDs are deleted, and jobs end', async () => {
    const pool = world().poolIn('swarm');
    const before = await pool.running();
    await world().kubectl('create', 'namespace', namespace);
    await jobs.createQueue({ pods: '4' });
    await jobs.create('gang', {
      launcher: { type: 'MPI' },
      command: ['sh', '-c', 'exec sleep 100000'],
      template: { spec: { terminationGracePeriodSeconds: 1 } },
    });
    await jobs.is('gang', 'Running');
    const start = performance.now();
    await world().kubectl('delete', '-k', 'envs/dev', '--timeout=240s');
    note({
      name: 'uninstall: kubectl delete -k envs/dev, pools still there',
      value: seconds(secondsSince(start)),
    });
    expect(await pool.running()).toEqual(before);
    await eventually(
      'nothing of the job is left',
      async () => (await jobs.kubectl('get', OF_JOBS, '-l=k8slab.info/job', '-o=name')) === '',
    );
    await jobs.deleteNamespace();
  });

  it('no object is left after the uninstallation', async () => {
    await world()
      .kubectl('delete', '-k', 'samples/tv', '--ignore-not-found', '--timeout=240s')
      .catch(noKind);
    await world().goneNamespaces();
    expect(await world().inventory()).toEqual(world().bare);
  });
}

/**
 * Without the CRD kubectl does not know SwarmPools, and reports that at the end; it has deleted all
 * other objects.
 */
function noKind(error: unknown): void {
  if (!String(error).includes('no matches for kind "SwarmPool"')) throw error;
}
