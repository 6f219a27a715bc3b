// What does the start script do in a rank of an MPI job?
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { beforeEach, expect, it } from '@jest/globals';
import { inEachShell, SLEEP } from './pod.ts';

inEachShell((pod) => {
  const mpi = ['mpi', '5', '2222'];
  /** An sshd that ends at once, of a rank that soon looks for it again. */
  const ending = { ssh: '', sshd: '', sleep: `exec ${SLEEP} 0.05` };
  const addresses = '10.0.0.1\n10.0.0.2\n10.0.0.3\n';

  beforeEach(() => {
    mkdirSync(pod.at('keys'));
    for (const name of ['user_key', 'host_key']) {
      pod.write(`keys/${name}`, `the ${name}\n`);
      pod.write(`keys/${name}.pub`, `ssh-ed25519 of-${name}\n`);
    }
    pod.write('addresses', addresses);
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
    expect(pod.read('run/ssh_config')).toBe(`\
Port 2222
IdentityFile ${pod.at('run/user_key')}
IdentitiesOnly yes
UserKnownHostsFile ${pod.at('run/known_hosts')}
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
BatchMode yes
ConnectTimeout 5
ConnectionAttempts 30
LogLevel ERROR
`);
    expect(pod.read('run/ssh')).toContain(`exec ssh -F ${pod.at('run')}/ssh_config "$@"`);
  });

  it('the command, and shells opened later, have the variables of Open MPI and MPICH', async () => {
    const sorted = "env | grep -E '^(OMPI|PRTE|HYDRA|SWARM)_' | sort";
    const env = pod.withPrograms({ ssh: '' });
    const { said } = await pod.begin(0, [...mpi, 'sh', '-c', sorted], env).end();
    expect(said).toBe(`\
HYDRA_HOST_FILE=${pod.at('run/mpich-hosts')}
HYDRA_LAUNCHER=ssh
HYDRA_LAUNCHER_EXEC=${pod.at('run/ssh')}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_orte_default_hostfile=${pod.at('run/openmpi-hosts')}
OMPI_MCA_plm_rsh_agent=${pod.at('run/ssh')}
PRTE_ALLOW_RUN_AS_ROOT=1
PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
PRTE_MCA_plm_ssh_agent=${pod.at('run/ssh')}
PRTE_MCA_prte_default_hostfile=${pod.at('run/openmpi-hosts')}
SWARM_TASKS=5
`);
    const later = await pod.run(0, 'all', 'sh', '-c', `. ${pod.at('run/env')}; ${sorted}`);
    expect(later.said).toBe(said);
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
    expect(pod.read('run/sshd_config')).toBe(`\
Port 2222
HostKey ${pod.at('run/host_key')}
AuthorizedKeysFile ${pod.at('run/authorized_keys')}
ForceCommand /bin/sh ${pod.at('start')} task
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
AllowTcpForwarding no
X11Forwarding no
PidFile none
MaxStartups 1000
LogLevel ERROR
`);
  });

  it('sshd may be in /usr/sbin, which PATH need not have', async () => {
    const env = pod.withPrograms({ ...ending, sshd: 'echo "sshd $1"' });
    mkdirSync(pod.at('sbin'));
    renameSync(pod.at('bin/sshd'), pod.at('sbin/sshd'));
    expect(await pod.begin(1, [...mpi, 'true'], env).end()).toMatchObject({
      code: 0,
      said: 'sshd -D\n',
    });
  });

  it.each([
    ['0', 'root:!:19000:0:99999:7:::', 127, "root is locked in SHADOW: usermod -p '*' root"],
    ['0', 'root:*:19000:0:99999:7:::', 0, undefined],
    ['1000', 'root:!:19000:0:99999:7:::', 0, undefined],
  ])('sshd of user %s with %j in /etc/shadow ends with %i', async (id, line, code, problem) => {
    pod.write('shadow', `bin:!:19000\n${line}\n`);
    const env = pod.withPrograms({ ...ending, id: `echo ${id}` });
    const { warned, code: ended } = await pod.begin(1, [...mpi, 'true'], env).end();
    const says = problem?.replace('SHADOW', pod.at('shadow'));
    expect([ended, warned]).toEqual([code, says === undefined ? '' : `swarm: ${says}\n`]);
  });

  it('rank 0 runs its command once all ranks have an address', async () => {
    pod.write('addresses', '');
    pod.withPrograms({ ssh: '' });
    const { child, end } = await pod.waiting(0, [...mpi, 'cat', pod.at('run/mpich-hosts')]);
    expect([child.exitCode, pod.has('run/mpich-hosts')]).toEqual([null, false]);
    pod.write('addresses', addresses);
    expect(await end()).toMatchObject({
      code: 0,
      said: '10.0.0.1:2\n10.0.0.2:2\n10.0.0.3:1\n',
      warned: '',
    });
  });

  it('another rank lets processes begin once all ranks have an address', async () => {
    pod.write('addresses', '');
    pod.withPrograms({ ssh: '', sshd: `[ "$1" = -t ] || exec ${SLEEP} 5` });
    const rank = await pod.waiting(1, [...mpi, 'true']);
    expect([rank.child.exitCode, pod.has('run/ready')]).toEqual([null, false]);
    pod.write('addresses', addresses);
    await pod.until('run/ready', rank);
    rank.child.kill('SIGTERM');
    expect(await rank.end()).toMatchObject({ code: 143, said: '', warned: '' });
  });

  it('a rank that gets SIGTERM waits for the processes that rank 0 has started on it', async () => {
    mkdirSync(pod.at('proc'));
    for (const number of [1, 8, 99]) mkdirSync(pod.at(`proc/${number}`));
    const env = pod.withPrograms({
      ssh: '',
      sshd: `[ "$1" = -t ] || { echo up; trap "echo down; exit" TERM; while :; do sleep 0.05; done; }`,
      sleep: `: >>${pod.at('slept')}; exec ${SLEEP} 0.01`,
    });
    const rank = pod.begin(1, [...mpi, 'true'], env);
    await once(rank.child.stdout, 'readable');
    rmSync(pod.at('slept'), { force: true });
    rank.child.kill('SIGTERM');
    await pod.until('slept', rank);
    expect(rank.child.exitCode).toBeNull();
    rmSync(pod.at('proc/99'), { recursive: true });
    expect(await rank.end()).toMatchObject({ code: 143, said: 'up\ndown\n' });
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
    const env = pod.withPrograms(ending);
    await pod.begin(1, [...mpi, 'true'], { ...env, WHAT: "it's  mine" }).end();
    const { said } = await pod
      .begin(1, ['task'], {
        SSH_ORIGINAL_COMMAND: 'printf "[%s]" "$WHAT" a  b',
      })
      .end();
    expect(said).toBe("[it's  mine][a][b]");
  });

  it('variables that bash does not let anyone set do not end a process', async () => {
    const env = { ...pod.withPrograms(ending), SHELLOPTS: 'braceexpand' };
    await pod.begin(1, [...mpi, 'true'], { ...env, WHAT: 'mine' }).end();
    const task = { SSH_ORIGINAL_COMMAND: 'echo "$WHAT"' };
    expect(await pod.begin(1, ['task'], task).end()).toMatchObject({
      code: 0,
      said: 'mine\n',
      warned: '',
    });
  });

  it('a process that rank 0 starts waits until its own rank has the addresses', async () => {
    const { PATH } = pod.withPrograms({ sleep: `: >>${pod.at('slept')}; exec ${SLEEP} 0.01` });
    const task = pod.begin(1, ['task'], { PATH, SSH_ORIGINAL_COMMAND: 'echo begun' });
    await pod.until('slept', task);
    expect(task.child.exitCode).toBeNull();
    await pod.begin(1, [...mpi, 'true'], pod.withPrograms(ending)).end();
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
    // As every image with a shell has them: mksh has no printf of its own.
    const only = pod.linkPrograms(['cat', 'chmod', 'id', 'mkdir', 'printf', 'sleep']);
    const { code, warned } = await pod.begin(rank, [...mpi, 'true'], only).end();
    expect([code, warned]).toEqual([127, `swarm: ${says}\n`]);
    expect(pod.read('termination-log')).toBe(`swarm: ${says}\n`);
  });
});
