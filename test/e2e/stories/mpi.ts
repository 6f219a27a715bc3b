// Do programs for MPI run on several pods of real nodes, and do the keys of a job open only its own
// pods?
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import type { World } from '../world.ts';

const namespace = 'hpc';
const IMAGE = 'example.org/hpc:1';

export function mpi(world: () => World): void {
  const kubectl = (...args: readonly string[]): Promise<string> =>
    world().kubectl('-n', namespace, ...args);

  const job = (name: string, spec: object): Promise<KubeObject> =>
    world().api.create(kinds.SwarmJob, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmJob',
      metadata: { name, namespace },
      spec: { queueName: 'batch', image: IMAGE, launcher: { type: 'MPI' }, size: 4, ...spec },
    });
  const is = (name: string, condition: string): Promise<string> =>
    kubectl('wait', `--for=condition=${condition}`, `swarmjob/${name}`, '--timeout=180s');
  const statusOf = async (name: string): Promise<unknown> =>
    (await world().api.get(kinds.SwarmJob, { namespace, name }))['status'];
  const podOf = async (name: string, rank: number): Promise<string> => {
    const labelSelector = `k8slab.info/job=${name},batch.kubernetes.io/job-completion-index=${rank}`;
    const { items } = await world().api.list(kinds.Pod, namespace, { labelSelector });
    return items[0]?.metadata.name ?? '';
  };
  const logOf = async (name: string): Promise<string> => kubectl('logs', await podOf(name, 0));

  /** What LAMMPS prints of each step. */
  const thermodynamics = (log: string): readonly (readonly number[])[] =>
    log
      .split('\n')
      .filter((line) => /^ +\d+ +[\d.]+ +-/.test(line))
      .map((line) => line.trim().split(/ +/).map(Number));

  it('LAMMPS on four ranks has the thermodynamics of one rank', async () => {
    await world().kubectl('apply', '-f', 'samples/mpi/queue.yaml');
    await kubectl('wait', '--for=condition=Ready', 'swarmqueue/batch', '--timeout=60s');
    const start = performance.now();
    await world().kubectl('apply', '-f', 'samples/mpi/lammps.yaml');
    await is('lammps', 'Finished');
    note({
      name: 'LAMMPS: applied until four ranks have ended',
      value: seconds(secondsSince(start)),
    });
    const log = await logOf('lammps');
    expect(log).toContain('1 by 2 by 2 MPI processor grid');
    const sample = await world().api.get(kinds.SwarmJob, { namespace, name: 'lammps' });
    await job('alone', {
      size: 1,
      launcher: { type: 'None' },
      command: ['lmp', '-in', '/in/in.melt', '-log', 'none'],
      template: dig(sample, 'spec', 'template'),
    });
    await is('alone', 'Finished');
    const [many, one] = [log, await logOf('alone')].map(thermodynamics);
    expect(many).toHaveLength(5);
    for (const [at, row] of (one ?? []).entries())
      for (const [field, value] of row.entries()) expect(many?.[at]?.[field]).toBeCloseTo(value, 5);
    await kubectl('delete', 'swarmjob', 'lammps', 'alone');
  });

  it('eight processes of mpi4py are spread over four ranks', async () => {
    await world().kubectl('apply', '-f', 'samples/mpi/mpi4py.yaml');
    await is('sum', 'Finished');
    expect(await logOf('sum')).toBe('8 processes, sum 28\n');
    await kubectl('delete', 'swarmjob', 'sum');
  });

  it.each([
    ['Open MPI', 'mpirun.openmpi'],
    ['MPICH', 'mpiexec.mpich'],
  ])('%s starts the tasks on the ranks that have room for them', async (_, program) => {
    const name = program === 'mpiexec.mpich' ? 'by-mpich' : 'by-openmpi';
    await job(name, {
      launcher: { type: 'MPI', tasks: 6, port: 3333 },
      command: [program, 'sh', '-c', 'echo "$(hostname) $WHAT"'],
      env: [{ name: 'WHAT', value: "it's  mine" }],
    });
    await is(name, 'Finished');
    expect((await logOf(name)).trim().split('\n').sort()).toEqual(
      [0, 0, 1, 1, 2, 3].map((rank) => `${name}-${rank} it's  mine`),
    );
    await kubectl('delete', 'swarmjob', name);
  });

  it('a user of the image runs sshd and MPI without root', async () => {
    const securityContext = { runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true };
    await job('as-user', {
      command: ['mpirun', 'id', '-un'],
      template: { spec: { securityContext } },
    });
    await is('as-user', 'Finished');
    expect(await logOf('as-user')).toBe('sim\n'.repeat(4));
    await kubectl('delete', 'swarmjob', 'as-user');
  });

  it('the keys of one job open no pod of another job', async () => {
    const waits = { command: ['sh', '-c', 'echo up; exec sleep 1000000'], size: 2 };
    await job('first', waits);
    await job('second', waits);
    await is('first', 'Running');
    await is('second', 'Running');
    const addresses = (
      await kubectl('get', 'pod', await podOf('second', 1), '-o=jsonpath={.status.podIP}')
    ).trim();
    const own = await kubectl('get', 'pod', await podOf('first', 1), '-o=jsonpath={.status.podIP}');
    const from = await podOf('first', 0);
    const exec = (...words: readonly string[]): Promise<string> =>
      kubectl('exec', from, '-c', 'main', '--', ...words);
    const ssh = (address: string, ...more: readonly string[]): Promise<string> =>
      exec('/run/swarm/ssh', ...more, address.trim(), 'hostname');
    await eventually('its command has begun', async () => (await logOf('first')) === 'up\n');
    expect(await ssh(own)).toBe('first-1\n');
    await expect(ssh(addresses)).rejects.toThrow('Host key verification failed');
    await expect(
      ssh(addresses, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'),
    ).rejects.toThrow('Permission denied (publickey)');
    await kubectl('delete', 'swarmjob', 'first', 'second');
  });

  it('an image without sshd is named after the first attempt', async () => {
    await job('no-sshd', { image: 'python:3.13-slim', command: ['mpirun', 'true'] });
    await is('no-sshd', 'Finished');
    const { message } = Object(await statusOf('no-sshd'));
    expect(message).toMatch(/\(the image has no program sshd? \(openssh-(server|client)\)\)/);
  });

  it('the namespace of the simulations is deleted', () =>
    world().kubectl('delete', 'namespace', namespace, '--wait=false'));
}
