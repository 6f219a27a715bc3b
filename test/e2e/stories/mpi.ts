// Do programs for MPI run on several pods of real nodes, and do the keys of a job open only its own
// pods?
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { Jobs } from '../jobs.ts';
import type { World } from '../world.ts';

const namespace = 'hpc';
const IMAGE = 'example.org/hpc:1';

export function mpi(world: () => World): void {
  const jobs = new Jobs(world, namespace, { image: IMAGE, launcher: { type: 'MPI' } });
  const { kubectl, is } = jobs;

  /** Open MPI warns if the ssh that it starts has begun before it could name its process group. */
  const outputOf = async (name: string): Promise<string> =>
    (await jobs.logOf(name)).replaceAll(/^.*plm:rsh: Warning: setpgid\(.*\n/gm, '');

  /** What LAMMPS prints of each step. */
  const thermodynamics = (log: string): readonly (readonly number[])[] =>
    log
      .split('\n')
      .filter((line) => /^ +\d+ +[\d.]+ +-/.test(line))
      .map((line) => line.trim().split(/ +/).map(Number));

  it('LAMMPS on four ranks has the thermodynamics of one rank', async () => {
    await jobs.queueOf('mpi');
    const start = performance.now();
    await world().kubectl('apply', '-f', 'samples/mpi/lammps.yaml');
    await is('lammps', 'Finished');
    note({
      name: 'LAMMPS: applied until four ranks have ended',
      value: seconds(secondsSince(start)),
    });
    const log = await outputOf('lammps');
    expect(log).toContain('1 by 2 by 2 MPI processor grid');
    const sample = await jobs.get('lammps');
    await jobs.create('alone', {
      size: 1,
      launcher: { type: 'None' },
      command: ['lmp', '-in', '/in/in.melt', '-log', 'none'],
      template: dig(sample, 'spec', 'template'),
    });
    await is('alone', 'Finished');
    const [many, one] = [log, await outputOf('alone')].map(thermodynamics);
    expect(many).toHaveLength(5);
    for (const [at, row] of (one ?? []).entries())
      for (const [field, value] of row.entries()) expect(many?.[at]?.[field]).toBeCloseTo(value, 5);
    await jobs.delete('lammps', 'alone');
  });

  it('eight processes of mpi4py are spread over four ranks', async () => {
    await world().kubectl('apply', '-f', 'samples/mpi/mpi4py.yaml');
    await is('sum', 'Finished');
    expect(await outputOf('sum')).toBe('8 processes, sum 28\n');
    await jobs.delete('sum');
  });

  it.each([
    ['Open MPI', 'mpirun.openmpi'],
    ['MPICH', 'mpiexec.mpich'],
  ])('%s starts the tasks on the ranks that have room for them', async (_, program) => {
    const name = program === 'mpiexec.mpich' ? 'by-mpich' : 'by-openmpi';
    await jobs.create(name, {
      launcher: { type: 'MPI', tasks: 6, port: 3333 },
      command: [program, 'sh', '-c', 'echo "$(hostname) $WHAT"'],
      env: [{ name: 'WHAT', value: "it's  mine" }],
    });
    await is(name, 'Finished');
    expect((await outputOf(name)).trim().split('\n').sort()).toEqual(
      [0, 0, 1, 1, 2, 3].map((rank) => `${name}-${rank} it's  mine`),
    );
    await jobs.delete(name);
  });

  it('GNU parallel spreads commands over the other ranks by the same ssh', async () => {
    const others = 'tail -n +2 /etc/swarm/addresses >/tmp/others';
    const spread = 'parallel --ssh /run/swarm/ssh --sshloginfile /tmp/others -j 1';
    const command = ['sh', '-c', `${others}; ${spread} 'echo {} on $SWARM_RANK' ::: a b c d`];
    await jobs.create('parallel', { command });
    await is('parallel', 'Finished');
    const lines = (await outputOf('parallel')).trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([...'abcd']);
    for (const line of lines) expect(line).toMatch(/^[abcd] on [123]$/);
    await jobs.delete('parallel');
  });

  it('a user of the image runs sshd and MPI without root', async () => {
    const securityContext = { runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true };
    await jobs.create('as-user', {
      command: ['mpirun', 'id', '-un'],
      template: { spec: { securityContext } },
    });
    await is('as-user', 'Finished');
    expect(await outputOf('as-user')).toBe('sim\n'.repeat(4));
    await jobs.delete('as-user');
  });

  it('the keys of one job open no pod of another job', async () => {
    const waits = {
      command: ['sh', '-c', 'echo up; exec sleep 1000000'],
      size: 2,
      template: { spec: { terminationGracePeriodSeconds: 1 } },
    };
    await jobs.create('first', waits);
    await jobs.create('second', waits);
    await is('first', 'Running');
    await is('second', 'Running');
    const [own, other] = [await jobs.addressOf('first', 1), await jobs.addressOf('second', 1)];
    const from = await jobs.podOf('first', 0);
    const exec = (...words: readonly string[]): Promise<string> =>
      kubectl('exec', from, '-c', 'main', '--', ...words);
    const ssh = (address: string, ...more: readonly string[]): Promise<string> =>
      exec('/run/swarm/ssh', ...more, address, 'hostname');
    await eventually('its command has begun', async () => (await outputOf('first')) === 'up\n');
    expect(await ssh(own)).toBe('first-1\n');
    await expect(ssh(other)).rejects.toThrow('Host key verification failed');
    await expect(
      ssh(other, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'),
    ).rejects.toThrow('Permission denied (publickey)');
    await jobs.delete('first', 'second');
  });

  it('an image without sshd is named after the first attempt', async () => {
    await jobs.create('no-sshd', { image: 'python:3.13-slim', command: ['mpirun', 'true'] });
    await is('no-sshd', 'Finished');
    const { message } = Object(await jobs.statusOf('no-sshd'));
    expect(message).toMatch(/\(the image has no program sshd? \(openssh-(server|client)\)\)/);
  });

  it('the namespace of the simulations is deleted', () => jobs.deleteNamespace());
}
