// Does a queue start the labelled Jobs of a CronJob, one after the other? Until the CronJob creates
// one, which takes up to a minute, other stories go on.
import { expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { swarmctlOn } from '../../integration/cli/swarmctl.ts';
import { Overlays } from '../../integration/deploy/overlays.ts';
import { eventually } from '../../support/processes.ts';
import type { World } from '../world.ts';

const namespace = 'reports';

const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmQueue',
    metadata: { name: 'batch', namespace },
    spec: { quota: { pods: '1' }, paused: true },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report', namespace },
    spec: {
      schedule: '* * * * *',
      // One that waits is enough, however long other stories take.
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        metadata: { labels: { 'k8slab.info/queue': 'batch' } },
        spec: { suspend: true, template: { spec: podSpec() } },
      },
    },
  },
];

/** It takes long enough for two to overlap. */
function podSpec(): object {
  const text = 'setTimeout(() => console.log("reported"), 2000)';
  return {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'swarm-worker:dev', command: ['node', '--eval', text] }],
  };
}

export function cron(world: () => World): {
  readonly begin: () => void;
  readonly end: () => void;
} {
  const kubectl = (...args: readonly string[]): Promise<string> =>
    world().kubectl('-n', namespace, ...args);
  const pods = async (): Promise<readonly KubeObject[]> =>
    (await world().api.list(kinds.Pod, namespace)).items;
  const usage = async (): Promise<string> => {
    const swarmctl = swarmctlOn(world().cluster.plane.kubeconfig);
    return (await swarmctl('queue', 'status', 'batch', '-n', namespace)).stdout;
  };

  return {
    begin: () => {
      it('a Job of a CronJob whose Jobs are queued is created by hand, and waits', async () => {
        const overlays = new Overlays({
          kubectl: (...args) => world().kubectl(...args),
          playground: world().cluster,
        });
        await world().kubectl('apply', '-f', overlays.file('cron.yaml', objects));
        overlays.remove();
        await kubectl('create', 'job', '--from=cronjob/report', 'by-hand');
        await eventually('its queue says why it waits', async () =>
          /^1 +Job\/by-hand .*QueuePaused/m.test(await usage()),
        );
      });
    },
    end: () => {
      it('a Job that the CronJob controller has created runs when its queue has room for it', async () => {
        await eventually('the CronJob has created a Job', async () => {
          const { items } = await world().api.list(kinds.Job, namespace);
          return items.some(isOfCronJob);
        });
        await kubectl('patch', 'cronjob/report', '--patch={"spec":{"suspend":true}}');
        expect(await pods()).toEqual([]);

        await kubectl(
          'patch',
          'swarmqueue/batch',
          '--type=merge',
          '--patch={"spec":{"paused":false}}',
        );
        await kubectl('wait', '--for=condition=Complete', 'job', '--all', '--timeout=180s');
        expect(overlapping(await pods())).toEqual([]);
        expect(await kubectl('logs', 'job/by-hand')).toBe('reported\n');
        await eventually('the quota is given back', async () =>
          /^pods +1 +0 +1$/m.test(await usage()),
        );
        await kubectl('delete', 'namespace', namespace, '--wait=false');
      });
    },
  };
}

const isOfCronJob = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'CronJob') === true;

/** When the container of each pod ran, to the second: those that began before another's end. */
function overlapping(pods: readonly KubeObject[]): readonly string[] {
  const runs = pods
    .map(({ metadata: { name }, status }) => {
      const ended = dig(asList(dig(status, 'containerStatuses'))[0], 'state', 'terminated');
      const [start = '', end = ''] = ['startedAt', 'finishedAt'].map((it) =>
        asString(dig(ended, it)),
      );
      return { name, start, end };
    })
    .sort((a, b) => a.start.localeCompare(b.start));
  return runs.flatMap(({ name, start }, index) => {
    const before = runs[index - 1];
    return before !== undefined && start < before.end ? [`${name} and ${before.name}`] : [];
  });
}
