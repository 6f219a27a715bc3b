// What does the start script do in a rank? It runs in the shell of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
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
    .replaceAll('/dev/termination-log', at('termination-log'));
  writeFileSync(at('start'), script);
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
