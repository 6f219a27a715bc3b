// Does a gang of three become one cluster on real nodes? samples/etcd, whose ranks find each other
// by their names.
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import { swarmctlOn } from '../../integration/cli/swarmctl.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import type { World } from '../world.ts';

const members = [0, 1, 2].map((rank) => `http://etcd-${rank}.etcd:2379`);

export function etcd(world: () => World): void {
  const kubectl = (...args: readonly string[]): Promise<string> =>
    world().kubectl('-n', 'etcd', ...args);
  const swarmctl = async (...args: readonly string[]): Promise<string> => {
    const told = await swarmctlOn(world().cluster.plane.kubeconfig)(...args, '-n', 'etcd');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    return told.stdout;
  };
  const until = (condition: string): Promise<string> =>
    kubectl('wait', `--for=condition=${condition}`, 'swarmjob/etcd', '--timeout=180s');
  const etcdctl = (...args: readonly string[]): Promise<string> =>
    kubectl('exec', 'job/etcd', '--', 'etcdctl', ...args);

  /** One member asks each of them by its name. */
  async function isHealthy(): Promise<void> {
    const told: unknown = JSON.parse(await etcdctl('endpoint', 'health', '--cluster', '-w=json'));
    const answers = asList(told).map((it) => ({
      endpoint: dig(it, 'endpoint'),
      health: dig(it, 'health'),
    }));
    expect(answers).toHaveLength(members.length);
    expect(answers).toEqual(
      expect.arrayContaining(members.map((endpoint) => ({ endpoint, health: true }))),
    );
  }

  it('samples/etcd runs once its three ranks are healthy members of one cluster', async () => {
    const start = performance.now();
    await world().kubectl('apply', '-k', 'samples/etcd');
    await until('Running');
    note({
      name: 'samples/etcd: applied until 3 ranks are healthy members',
      value: seconds(secondsSince(start)),
    });
    await isHealthy();
    await etcdctl(`--endpoints=${members[0]}`, 'put', 'greeting', 'hello');
    expect(await etcdctl(`--endpoints=${members[2]}`, 'get', 'greeting')).toBe('greeting\nhello\n');
  });

  it('samples/etcd runs again as a whole when a member was deleted, which ends well', async () => {
    const start = performance.now();
    await kubectl('delete', 'pod', '-l=batch.kubernetes.io/job-completion-index=1');
    await kubectl('wait', '--for=jsonpath={.status.attempt}=2', 'swarmjob/etcd', '--timeout=180s');
    await until('Running');
    note({
      name: 'samples/etcd: a member is deleted until 3 ranks are healthy members',
      value: seconds(secondsSince(start)),
      note: 'backoffSeconds 10',
    });
    await isHealthy();
    expect(await kubectl('get', 'swarmjob/etcd', '-o=jsonpath={.status.failures.disruption}')).toBe(
      '1',
    );
  });

  it('samples/etcd has no pods and gives its quota back while it is suspended, and then is a new cluster', async () => {
    await swarmctl('job', 'suspend', 'etcd');
    await until('Suspended');
    await eventually('its pods are gone', async () => {
      const { items } = await world().api.list(kinds.Pod, 'etcd');
      return items.length === 0;
    });
    await kubectl('wait', '--for=jsonpath={.status.usage.pods}=0', 'swarmqueue/tests');
    expect(await swarmctl('queue', 'status', 'tests')).toMatch(/^pods +3 +0 +3$/m);
    const start = performance.now();
    await swarmctl('job', 'resume', 'etcd');
    await until('Running');
    note({
      name: 'samples/etcd: resumed until 3 ranks are healthy members',
      value: seconds(secondsSince(start)),
    });
    await isHealthy();
    expect(await etcdctl('get', 'greeting')).toBe('');
    expect(await swarmctl('queue', 'status', 'tests')).toMatch(/^pods +3 +3 +0$/m);
    await kubectl('delete', 'namespace', 'etcd', '--wait=false');
  });
}
