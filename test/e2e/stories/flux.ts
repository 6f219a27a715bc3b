// Do the brokers of a Flux job get what they need on real nodes? A stand-in for flux reads it by
// other libraries, since Flux is not among Debian's packages.
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { root } from '../../../scripts/run.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, asString, dig } from '../../../src/api/objects.ts';
import { swarmctlOn } from '../../integration/cli/swarmctl.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { Jobs } from '../jobs.ts';
import type { World } from '../world.ts';

const namespace = 'flux';

/** The stand-in is the program flux of each pod. */
const template = {
  spec: {
    volumes: [{ name: 'flux', configMap: { name: 'flux', defaultMode: 0o755 } }],
    containers: [
      {
        name: 'main',
        volumeMounts: [{ name: 'flux', mountPath: '/usr/local/bin/flux', subPath: 'flux.py' }],
      },
    ],
  },
};

const SHOWS = ['sh', '-c', 'echo "$FLUX_URI on $(hostname)"; exit 7'];

const sampleOf = (name: string): object =>
  asRecord(dig(load(readFileSync(`${root}samples/flux/${name}.yaml`, 'utf8')), 'spec')) ?? {};

export function flux(world: () => World): void {
  const jobs = new Jobs(world, namespace, {});
  const inShell = (...words: readonly string[]) =>
    swarmctlOn(world().cluster.plane.kubeconfig)('job', 'shell', '-n', namespace, ...words);
  const ours = { image: 'python:3.13-slim', template };

  it('the brokers of samples/flux greet each other, and rank 0 runs the command on all', async () => {
    await jobs.queueOf('flux');
    await jobs.kubectl('create', 'configmap', 'flux', '--from-file=test/e2e/stand-in/flux.py');
    const start = performance.now();
    await jobs.create('hello', { ...sampleOf('job'), ...ours });
    await jobs.is('hello', 'Complete');
    note({
      name: 'Flux (a stand-in): created until four brokers have greeted and the job has ended',
      value: seconds(secondsSince(start)),
    });
    const [told = '', run = '', output = ''] = (await jobs.logOf('hello')).split('\n');
    expect(JSON.parse(told)).toEqual({
      heard: [1, 2, 3],
      answered: [1, 2, 3],
      hosts: 'hello-[0-3]',
      resources: [0, 1, 2, 3].map((rank) => `hello-${rank}`),
      cores: '0-1',
      'kill-timeout': '30s',
      options: ['--config-path', '-Slocal-uri', '-Srundir'],
    });
    expect(JSON.parse(run)).toEqual(['-o', 'gpu-affinity=off', '-N', '4', '-n', '8']);
    expect(output).toContain('on hello-0');
    const nodes = (await jobs.podsOf('hello')).map((pod) => dig(pod, 'spec', 'nodeName'));
    expect(new Set(nodes).size).toBe(2);
    await jobs.delete('hello');
  });

  it('the exit code of the command is that of the job', async () => {
    await jobs.create('fails', { ...sampleOf('job'), ...ours, command: ['sh', '-c', 'exit 3'] });
    await jobs.is('fails', 'Finished');
    expect(await jobs.statusOf('fails')).toMatchObject({ state: 'Failed', exitCode: 3 });
    await jobs.delete('fails');
  });

  it('without a command the brokers wait, and the certificate of one job opens no other', async () => {
    await jobs.create('cluster', { ...sampleOf('minicluster'), ...ours });
    await jobs.create('other', { ...sampleOf('minicluster'), ...ours, size: 2 });
    for (const name of ['cluster', 'other']) {
      await jobs.is(name, 'Running');
      await eventually('its brokers have greeted', async () => (await jobs.logOf(name)) !== '');
    }
    const told = await inShell('cluster', '--rank', '1', '--', ...SHOWS);
    expect(told).toMatchObject({ code: 7, stdout: 'local:///run/swarm/flux/local on cluster-1\n' });
    const from = await jobs.podOf('other', 1);
    const greets = async (name: string): Promise<string> => {
      const address = `tcp://${await jobs.addressOf(name, 0)}:8050`;
      return jobs.kubectl('exec', from, '-c', 'main', '--', 'flux', 'greet', address);
    };
    expect(await greets('other')).toBe('');
    await expect(greets('cluster')).rejects.toThrow('exit code 1');
    await jobs.delete('other');
  });

  it('a suspended MiniCluster ends its brokers, and comes back with another certificate', async () => {
    const certificates = async (): Promise<readonly string[]> => {
      const { items } = await world().api.list(kinds.Secret, namespace);
      return items
        .filter(({ metadata }) => metadata.name.startsWith('k8slab-keys-cluster-'))
        .map((secret) => asString(dig(secret, 'data', 'curve.cert')) ?? '');
    };
    const before = await certificates();
    expect(before).toEqual([expect.stringMatching(/./)]);
    await jobs.suspend('cluster', true);
    await jobs.is('cluster', 'Suspended');
    await jobs.suspend('cluster', false);
    await jobs.is('cluster', 'Running');
    await eventually('its brokers have greeted', async () => (await jobs.logOf('cluster')) !== '');
    // The Secret of the earlier attempt may not be deleted yet.
    const after = (await certificates()).filter((it) => !before.includes(it));
    expect(after).toEqual([expect.stringMatching(/./)]);
    await jobs.delete('cluster');
  });

  it('a shell needs an image with a shell', async () => {
    const image = 'registry.k8s.io/etcd:3.6.8-0';
    await jobs.create('bare', {
      ...sampleOf('job'),
      image,
      launcher: {},
      size: 1,
      command: ['etcd'],
    });
    await jobs.is('bare', 'Running');
    const { code, stderr } = await inShell('bare');
    expect(stderr).toContain('has no /bin/sh, so that no shell can be opened in it');
    expect(code).toBe(2);
    await jobs.delete('bare');
  });

  it('an image without flux is named after the first attempt', async () => {
    await jobs.create('no-flux', { ...sampleOf('job'), image: 'python:3.13-slim' });
    await jobs.is('no-flux', 'Finished');
    const { message } = Object(await jobs.statusOf('no-flux'));
    expect(message).toContain('(the image has no program flux (flux-core))');
  });

  it('the namespace of Flux is deleted', () => jobs.deleteNamespace());
}
