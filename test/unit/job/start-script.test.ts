// What does the start script do in a rank? It runs in the shell of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startScript } from '../../../src/job/make/start-script.ts';

const KUBELETS = '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n';
const ALL = '10.0.0.1\n10.0.0.2\n-\n';

/** Those of this machine; `sh` is one of them, and what most images have. */
const shells = [
  ['sh', '/bin/sh', []],
  ['bash', '/bin/bash', []],
  ['mksh', '/bin/mksh', []],
  ['busybox', '/bin/busybox', ['ash']],
].filter(([, file]) => existsSync(String(file))) as [string, string, string[]][];

let dir: string;
let shell = '/bin/sh';
let shellWords: readonly string[] = [];
const at = (name: string): string => path.join(dir, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'swarm-start-'));
  const script = startScript
    .replaceAll('/etc/hosts', at('etc-hosts'))
    .replaceAll('/dev/termination-log', at('termination-log'))
    .replaceAll('/run/swarm', at('run'))
    .replaceAll('/run/sshd', at('run-sshd'))
    .replaceAll('/proc/', `${at('proc')}/`)
    .replaceAll('/etc/shadow', at('shadow'))
    .replaceAll('/etc/swarm-keys', at('keys'));
  writeFileSync(at('start'), script);
  mkdirSync(at('run'));
  writeFileSync(at('hosts'), 'sim-0.sim\nsim-1.sim\nsim-2.sim\n');
  writeFileSync(at('etc-hosts'), `${KUBELETS}10.0.0.2\tsim-1.sim.hpc.svc\tsim-1\n`);
  writeFileSync(at('termination-log'), '');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function begin(rank: number, words: readonly string[], env: object = {}) {
  writeFileSync(at('rank'), String(rank));
  const child = spawn(shell, [...shellWords, at('start'), ...words], {
    // Bash is then a POSIX shell, as where it is /bin/sh.
    argv0: shellWords.length > 0 ? shell : 'sh',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const said = text(child.stdout);
  const warned = text(child.stderr);
  const ended = once(child, 'exit');
  const end = async () => {
    const [code, signal] = await ended;
    return { code, signal, said: await said, warned: await warned };
  };
  return { child, end };
}

const run = (rank: number, ...words: readonly string[]) => begin(rank, words).end();

/** A rank that says when it has begun to wait. */
async function waiting(rank: number, words: readonly string[]) {
  // The script's first look at the file is the first `sleep` that it starts.
  mkdirSync(at('bin'));
  writeFileSync(at('bin/sleep'), `#!/bin/sh\n: >>${at('slept')}\nexec ${SLEEP} "$@"\n`, {
    mode: 0o755,
  });
  const rankBegun = begin(rank, words, { PATH: `${at('bin')}:${process.env['PATH']}` });
  while (!exists('slept')) await new Promise(setImmediate);
  return rankBegun;
}

const SLEEP = '/bin/sleep';
const exists = (name: string): boolean => {
  try {
    read(name);
    return true;
  } catch {
    return false;
  }
};

describe.each(shells)('in %s', (_, file, words) => {
  beforeAll(() => {
    shell = file;
    shellWords = words;
  });

  describe('which command a rank runs', () => {
    it('without a leader each rank runs the command, with its words as they are', async () => {
      for (const rank of [0, 1])
        expect(await run(rank, 'all', 'printf', '[%s]', 'a b', '', '$HOME', "it's")).toMatchObject({
          code: 0,
          said: "[a b][][$HOME][it's]",
        });
    });

    it('with a leader rank 0 runs the command, and the others that of workers', async () => {
      const words = ['3', 'printf', '[%s]', 'a  worker', 'printf', '<%s>', 'the leader'];
      expect(await run(0, ...words)).toMatchObject({ said: '<the leader>' });
      expect(await run(2, ...words)).toMatchObject({ said: '[a  worker]' });
    });

    it('a rank without a command waits, and ends on SIGTERM as a program without a handler', async () => {
      const { child, end } = await waiting(1, ['0', 'true']);
      child.kill('SIGTERM');
      expect(await end()).toMatchObject({ code: 143, said: '', warned: '' });
    });

    it('the exit code is that of the command, and its signals reach it', async () => {
      expect(await run(0, 'all', 'sh', '-c', 'exit 7')).toMatchObject({ code: 7 });
      const { child, end } = begin(0, [
        'all',
        'sh',
        '-c',
        'trap "echo ended; exit 5" TERM; echo up; while :; do sleep 0.05; done',
      ]);
      await once(child.stdout, 'readable');
      child.kill('SIGTERM');
      expect(await end()).toMatchObject({ code: 5, said: 'up\nended\n' });
    });

    it('the variables of the user are those that the command gets', async () => {
      const names = ['rank', 'number', 'count', 'host', 'address', 'line', 'own', 'files', 'word'];
      const env = Object.fromEntries(names.map((name) => [name, `my ${name}`]));
      writeFileSync(at('addresses'), ALL);
      const values = names.map((name) => `$${name}`).join(',');
      const { said } = await begin(1, ['all', 'sh', '-c', `echo "${values}"`], env).end();
      expect(said).toBe(`${names.map((name) => `my ${name}`).join(',')}\n`);
    });

    it('an image without the program is named, with exit code 127, for the status', async () => {
      expect(await run(0, 'all', 'no-such-program')).toMatchObject({
        code: 127,
        warned: 'swarm: the image has no program no-such-program\n',
      });
      expect(read('termination-log')).toBe('swarm: the image has no program no-such-program\n');
    });
  });

  describe('a rank of an MPI job', () => {
    const mpi = ['mpi', '5', '2222'];

    /** Programs that tell how they were called, in place of the real ones. */
    function withPrograms(programs: Readonly<Record<string, string>>): { readonly PATH: string } {
      mkdirSync(at('bin'));
      for (const [name, script] of Object.entries(programs))
        writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { PATH: `${at('bin')}:/usr/bin:/bin` };
    }

    beforeEach(() => {
      mkdirSync(at('keys'));
      for (const name of ['user_key', 'host_key']) {
        writeFileSync(at(`keys/${name}`), `the ${name}\n`);
        writeFileSync(at(`keys/${name}.pub`), `ssh-ed25519 of-${name}\n`);
      }
      writeFileSync(at('addresses'), '10.0.0.1\n10.0.0.2\n10.0.0.3\n');
      writeFileSync(at('size'), '3');
    });

    it('rank 0 runs the command, which finds host files and a program for ssh', async () => {
      const told =
        'echo "$OMPI_MCA_plm_rsh_agent $HYDRA_LAUNCHER_EXEC $SWARM_TASKS"; cat "$HYDRA_HOST_FILE"';
      const env = withPrograms({ ssh: 'echo "ssh $*"' });
      const { said, code } = await begin(0, [...mpi, 'sh', '-c', told], env).end();
      const [first, ...hosts] = said.split('\n');
      expect([code, first]).toEqual([0, `${at('run/ssh')} ${at('run/ssh')} 5`]);
      expect(hosts).toEqual(['10.0.0.1:2', '10.0.0.2:2', '10.0.0.3:1', '']);
      expect(read('run/openmpi-hosts')).toBe(
        '10.0.0.1 slots=2\n10.0.0.2 slots=2\n10.0.0.3 slots=1\n',
      );
      expect(read('run/known_hosts')).toBe('* ssh-ed25519 of-host_key\n');
      expect(statSync(at('run/user_key')).mode & 0o777).toBe(0o600);
      expect(read('run/ssh_config')).toContain('Port 2222\n');
      expect(read('run/ssh')).toContain(`exec ssh -F ${at('run')}/ssh_config "$@"`);
    });

    it('a rank without a task is in no host file', async () => {
      const env = withPrograms({ ssh: '' });
      await begin(0, ['mpi', '2', '2222', 'true'], env).end();
      expect(read('run/mpich-hosts')).toBe('10.0.0.1:1\n10.0.0.2:1\n');
    });

    it('without addresses the host files have names', async () => {
      rmSync(at('addresses'));
      await begin(0, ['mpi', '3', '2222', 'true'], withPrograms({ ssh: '' })).end();
      expect(read('run/mpich-hosts')).toBe('sim-0.sim:1\nsim-1.sim:1\nsim-2.sim:1\n');
    });

    it('the other ranks run sshd at once, with keys that only its user may read', async () => {
      writeFileSync(at('addresses'), '');
      const env = withPrograms({ ssh: '', sshd: '[ "$1" = -t ] && exit; echo "sshd $*"; exit 3' });
      const { said, code } = await begin(1, [...mpi, 'true'], env).end();
      expect({ said, code }).toEqual({ code: 3, said: `sshd -D -e -f ${at('run/sshd_config')}\n` });
      for (const name of ['host_key', 'user_key', 'env'])
        expect(statSync(at(`run/${name}`)).mode & 0o777).toBe(0o600);
      expect(read('run/authorized_keys')).toBe('ssh-ed25519 of-user_key\n');
      const config = read('run/sshd_config');
      for (const line of [
        'Port 2222',
        `ForceCommand /bin/sh ${dir}/start task`,
        'AuthenticationMethods publickey',
      ])
        expect(config).toContain(`${line}\n`);
    });

    it('a rank that is told to end waits for the processes that rank 0 has started on it', async () => {
      mkdirSync(at('proc'));
      for (const number of [1, 8, 99]) mkdirSync(at(`proc/${number}`));
      const env = withPrograms({
        ssh: '',
        sshd: `[ "$1" = -t ] || { echo up; trap "echo down; exit" TERM; while :; do sleep 0.05; done; }`,
        sleep: `: >>${at('slept')}; exec ${SLEEP} 0.01`,
      });
      const { child, end } = begin(1, [...mpi, 'true'], env);
      await once(child.stdout, 'readable');
      rmSync(at('slept'), { force: true });
      child.kill('SIGTERM');
      while (!exists('slept')) await new Promise(setImmediate);
      expect(child.exitCode).toBeNull();
      rmSync(at('proc/99'), { recursive: true });
      expect(await end()).toMatchObject({ code: 143, said: 'up\ndown\n' });
    });

    it.each(['-', '-oProxyCommand=x', 'a;b'])(
      'a rank with the address %j is no host',
      async (address) => {
        writeFileSync(at('addresses'), `10.0.0.1\n${address}\n10.0.0.3\n`);
        const { code, warned } = await begin(0, [...mpi, 'true'], withPrograms({ ssh: '' })).end();
        expect([code, warned]).toEqual([127, 'swarm: rank 1 has no address\n']);
      },
    );

    it('MPICH gets names in place of IPv6 addresses', async () => {
      writeFileSync(at('addresses'), 'fd00::1\nfd00::2\nfd00::3\n');
      await begin(0, ['mpi', '3', '2222', 'true'], withPrograms({ ssh: '' })).end();
      expect(read('run/mpich-hosts')).toBe('sim-0.sim:1\nsim-1.sim:1\nsim-2.sim:1\n');
      expect(read('run/openmpi-hosts')).toBe('fd00::1 slots=1\nfd00::2 slots=1\nfd00::3 slots=1\n');
    });

    it('a process that rank 0 starts has the variables of the pod', async () => {
      const env = withPrograms({ ssh: '', sshd: '' });
      await begin(1, [...mpi, 'true'], { ...env, WHAT: "it's  mine" }).end();
      const { said } = await begin(1, ['task'], {
        SSH_ORIGINAL_COMMAND: 'printf "[%s]" "$WHAT" a  b',
      }).end();
      expect(said).toBe("[it's  mine][a][b]");
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
      const { PATH } = withPrograms({ cat: 'exec /bin/cat "$@"', ...programs });
      const only = { PATH: PATH.split(':')[0] };
      linkPrograms();
      const { code, warned } = await begin(rank, [...mpi, 'true'], only).end();
      expect([code, warned]).toEqual([127, `swarm: ${says}\n`]);
      expect(read('termination-log')).toBe(`swarm: ${says}\n`);
    });

    /** What every image with a shell has. */
    function linkPrograms(): void {
      for (const name of ['id', 'mkdir', 'chmod', 'sleep'])
        symlinkSync(`/usr/bin/${name}`, at(`bin/${name}`));
    }
  });

  describe('a rank that waits for the others', () => {
    it('a rank begins once its file has the addresses', async () => {
      writeFileSync(at('addresses'), '');
      const { child, end } = await waiting(1, ['all', 'cat', at('addresses')]);
      expect(child.exitCode).toBeNull();
      // As a kubelet replaces a file of a volume.
      writeFileSync(at('new'), ALL);
      rmSync(at('addresses'));
      symlinkSync('new', at('addresses'));
      expect(await end()).toMatchObject({ code: 0, said: ALL, warned: '' });
    });

    it('a rank that is told to end while it waits has not run its command', async () => {
      writeFileSync(at('addresses'), '');
      const { child, end } = await waiting(1, ['all', 'echo', 'begun']);
      child.kill('SIGTERM');
      expect(await end()).toMatchObject({ code: 143, said: '' });
    });

    it('a shell whose sleep knows whole seconds only waits, too', async () => {
      writeFileSync(at('addresses'), '');
      mkdirSync(at('bin'));
      const whole = `#!/bin/sh\ncase $1 in *.*) exit 1 ;; esac\necho ${ALL.split('\n')[0]} >${at('addresses')}\n`;
      writeFileSync(at('bin/sleep'), whole, { mode: 0o755 });
      const PATH = `${at('bin')}:${process.env['PATH']}`;
      expect(await begin(0, ['all', 'echo', 'begun'], { PATH }).end()).toMatchObject({
        said: 'begun\n',
        warned: '',
      });
    });

    it('the hosts file of the pod gets the names of all ranks that have an address', async () => {
      writeFileSync(at('addresses'), ALL);
      const before = read('etc-hosts');
      await run(1, 'all', 'true');
      expect(read('etc-hosts')).toBe(
        `${before}10.0.0.1 sim-0.sim sim-0\n10.0.0.2 sim-1.sim sim-1\n`,
      );
    });

    it('the hosts file gets addresses alone, whatever the annotation has', async () => {
      writeFileSync(at('addresses'), '6.6.6.6 example.org\n10.0.0.2\n$(reboot)\n');
      const before = read('etc-hosts');
      await run(1, 'all', 'true');
      expect(read('etc-hosts')).toBe(
        `${before}6.6.6.6 sim-0.sim sim-0\n10.0.0.2 sim-1.sim sim-1\n`,
      );
    });

    it.each([
      ['of a machine', '127.0.0.1 localhost\n10.0.0.2 me\n'],
      ['of another pod', `${KUBELETS}10.9.9.9\tother\n`],
      ['that is empty', ''],
    ])('a hosts file %s stays as it is', async (_, hosts) => {
      writeFileSync(at('addresses'), ALL);
      writeFileSync(at('etc-hosts'), hosts);
      expect(await run(1, 'all', 'echo', 'begun')).toMatchObject({ said: 'begun\n', warned: '' });
      expect(read('etc-hosts')).toBe(hosts);
    });
  });
});
