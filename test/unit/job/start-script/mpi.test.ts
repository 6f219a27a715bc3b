// What does the start script do in a rank of an MPI job?
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { beforeEach, expect, it } from '@jest/globals';
import { inEachShell, SLEEP } from './pod.ts';

inEachShell((pod) => {
  const mpi = ['mpi', '5', '2222'];

  beforeEach(() => {
    mkdirSync(pod.at('keys'));
    for (const name of ['user_key', 'host_key']) {
      pod.write(`keys/${name}`, `the ${name}\n`);
      pod.write(`keys/${name}.pub`, `ssh-ed25519 of-${name}\n`);
    }
    pod.write('addresses', '10.0.0.1\n10.0.0.2\n10.0.0.3\n');
  });

  it('rank 0 runs the command, which finds host files and a program for ssh', async () => {
    const told =
      'echo "$OMPI_MCA_plm_rsh_agent $HYDRA_LAUNCHER_EXEC $SWARM_TASKS"; cat "$HYDRA_HOST_FILE"';
    const env = pod.withPrograms({ ssh: 'echo "ssh $*"' });
    const { said, code } = await pod.begin(0, [...mpi, 'sh', '-c', told], env).end();
    const [first, ...hosts] = said.split('\n');
    expect([code, first]).toEqual([0, `${pod.at('run/ssh')} ${pod.at('run/ssh')} 5`]);
    expect(hosts).toEqual(['10.0.0.1:2', '10.0.0.2:2', '10.0.0.3:1', '']);
    expect(pod.read('run/openmpi-hosts')).toBe(
      '10.0.0.1 slots=2\n10.0.0.2 slots=2\n10.0.0.3 slots=1\n',
    );
    expect(pod.read('run/known_hosts')).toBe('* ssh-ed25519 of-host_key\n');
    expect(statSync(pod.at('run/user_key')).mode & 0o777).toBe(0o600);
    expect(pod.read('run/ssh_config')).toContain('Port 2222\n');
    expect(pod.read('run/ssh')).toContain(`exec ssh -F ${pod.at('run')}/ssh_config "$@"`);
  });

  it('a rank without a task is in no host file', async () => {
    const env = pod.withPrograms({ ssh: '' });
    await pod.begin(0, ['mpi', '2', '2222', 'true'], env).end();
    expect(pod.read('run/mpich-hosts')).toBe('10.0.0.1:1\n10.0.0.2:1\n');
  });

  it('without addresses the host files have names', async () => {
    rmSync(pod.at('addresses'));
    await pod.begin(0, ['mpi', '3', '2222', 'true'], pod.withPrograms({ ssh: '' })).end();
    expect(pod.read('run/mpich-hosts')).toBe('sim-0.sim:1\nsim-1.sim:1\nsim-2.sim:1\n');
  });

  it('the other ranks run sshd at once, with keys that only its user may read', async () => {
    pod.write('addresses', '');
    const env = pod.withPrograms({
      ssh: '',
      sshd: '[ "$1" = -t ] && exit; echo "sshd $*"; exit 3',
    });
    const { said, code } = await pod.begin(1, [...mpi, 'true'], env).end();
    expect({ said, code }).toEqual({
      code: 3,
      said: `sshd -D -e -f ${pod.at('run/sshd_config')}\n`,
    });
    for (const name of ['host_key', 'user_key', 'env'])
      expect(statSync(pod.at(`run/${name}`)).mode & 0o777).toBe(0o600);
    expect(pod.read('run/authorized_keys')).toBe('ssh-ed25519 of-user_key\n');
    const config = pod.read('run/sshd_config');
    for (const line of [
      'Port 2222',
      `ForceCommand /bin/sh ${pod.at('start')} task`,
      'AuthenticationMethods publickey',
    ])
      expect(config).toContain(`${line}\n`);
  });

  it('a rank that gets SIGTERM waits for the processes that rank 0 has started on it', async () => {
    mkdirSync(pod.at('proc'));
    for (const number of [1, 8, 99]) mkdirSync(pod.at(`proc/${number}`));
    const env = pod.withPrograms({
      ssh: '',
      sshd: `[ "$1" = -t ] || { echo up; trap "echo down; exit" TERM; while :; do sleep 0.05; done; }`,
      sleep: `: >>${pod.at('slept')}; exec ${SLEEP} 0.01`,
    });
    const { child, end } = pod.begin(1, [...mpi, 'true'], env);
    await once(child.stdout, 'readable');
    rmSync(pod.at('slept'), { force: true });
    child.kill('SIGTERM');
    while (!pod.has('slept')) await new Promise(setImmediate);
    expect(child.exitCode).toBeNull();
    rmSync(pod.at('proc/99'), { recursive: true });
    expect(await end()).toMatchObject({ code: 143, said: 'up\ndown\n' });
  });

  it.each(['-', '-oProxyCommand=x', 'a;b'])(
    'a rank with the address %j is no host',
    async (address) => {
      pod.write('addresses', `10.0.0.1\n${address}\n10.0.0.3\n`);
      const { code, warned } = await pod
        .begin(0, [...mpi, 'true'], pod.withPrograms({ ssh: '' }))
        .end();
      expect([code, warned]).toEqual([127, 'swarm: rank 1 has no address\n']);
    },
  );

  it('MPICH gets names in place of IPv6 addresses', async () => {
    pod.write('addresses', 'fd00::1\nfd00::2\nfd00::3\n');
    await pod.begin(0, ['mpi', '3', '2222', 'true'], pod.withPrograms({ ssh: '' })).end();
    expect(pod.read('run/mpich-hosts')).toBe('sim-0.sim:1\nsim-1.sim:1\nsim-2.sim:1\n');
    expect(pod.read('run/openmpi-hosts')).toBe(
      'fd00::1 slots=1\nfd00::2 slots=1\nfd00::3 slots=1\n',
    );
  });

  it('a process that rank 0 starts has the variables of the pod', async () => {
    const env = pod.withPrograms({ ssh: '', sshd: '' });
    await pod.begin(1, [...mpi, 'true'], { ...env, WHAT: "it's  mine" }).end();
    const { said } = await pod
      .begin(1, ['task'], {
        SSH_ORIGINAL_COMMAND: 'printf "[%s]" "$WHAT" a  b',
      })
      .end();
    expect(said).toBe("[it's  mine][a][b]");
  });

  it('a process that rank 0 starts waits until its own rank has the addresses', async () => {
    const { PATH } = pod.withPrograms({ sleep: `: >>${pod.at('slept')}; exec ${SLEEP} 0.01` });
    const task = pod.begin(1, ['task'], { PATH, SSH_ORIGINAL_COMMAND: 'echo begun' });
    await pod.until('slept', task);
    expect(task.child.exitCode).toBeNull();
    const serves = { ssh: '', sshd: '' };
    await pod.begin(1, [...mpi, 'true'], pod.withPrograms(serves)).end();
    expect(await task.end()).toMatchObject({ said: 'begun\n' });
  });

  it.each([
    [0, {}, 'the image has no program ssh (openssh-client)'],
    [1, {}, 'the image has no program sshd (openssh-server)'],
    [1, { sshd: '' }, 'the image has no program ssh (openssh-client)'],
    [
      1,
      { ssh: '', sshd: 'echo "no user sshd" >&2; exit 255' },
      'sshd does not start: no user sshd',
    ],
  ])('rank %i says what its image lacks: %j', async (rank, programs, says) => {
    pod.withPrograms(programs);
    // As every image with a shell has them.
    const only = pod.linkPrograms(['cat', 'chmod', 'id', 'mkdir', 'sleep']);
    const { code, warned } = await pod.begin(rank, [...mpi, 'true'], only).end();
    expect([code, warned]).toEqual([127, `swarm: ${says}\n`]);
    expect(pod.read('termination-log')).toBe(`swarm: ${says}\n`);
  });
});
