// What does the start script do in a rank that waits for the others, or has a leader?
import { once } from 'node:events';
import { rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { inEachShell, KUBELETS, SLEEP } from './pod.ts';

const ALL = '10.0.0.1\n10.0.0.2\n-\n';

inEachShell((pod) => {
  describe('which command a rank runs', () => {
    it('without a leader each rank runs the command, with its words as they are', async () => {
      for (const rank of [0, 1])
        expect(
          await pod.run(rank, 'all', 'printf', '[%s]', 'a b', '', '$HOME', "it's"),
        ).toMatchObject({
          code: 0,
          said: "[a b][][$HOME][it's]",
        });
    });

    it('with a leader rank 0 runs the command, and the others that of workers', async () => {
      const words = ['3', 'printf', '[%s]', 'a  worker', 'printf', '<%s>', 'the leader'];
      expect(await pod.run(0, ...words)).toMatchObject({ said: '<the leader>' });
      expect(await pod.run(2, ...words)).toMatchObject({ said: '[a  worker]' });
    });

    it('a rank without a command waits, and ends on SIGTERM as a program without a handler', async () => {
      const { child, end } = await pod.waiting(1, ['0', 'true']);
      child.kill('SIGTERM');
      expect(await end()).toMatchObject({ code: 143, said: '', warned: '' });
    });

    it('the program sleep of a rank that waits ends with it on SIGTERM', async () => {
      // The rank is ready for SIGTERM when it waits: Linux then shows it as sleeping.
      const { PATH } = pod.withPrograms({
        sleep: `trap 'echo "$1" >${pod.at('signalled')}; : >${pod.at('ended')}; exit' TERM
while grep -q '^State:.[^S]' /proc/$PPID/status 2>/dev/null; do :; done; : >${pod.at('slept')}
times=40; while [ $((times = times - 1)) != 0 ]; do ${SLEEP} 0.05; done; : >${pod.at('ended')}`,
      });
      const rank = pod.begin(1, ['0', 'true'], { PATH });
      await pod.until('slept', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 143 });
      while (!pod.has('ended')) await new Promise(setImmediate);
      expect(pod.has('signalled') && pod.read('signalled')).toBe('3600\n');
    });

    it('the exit code is that of the command, and its signals reach it', async () => {
      expect(await pod.run(0, 'all', 'sh', '-c', 'exit 7')).toMatchObject({ code: 7 });
      const { child, end } = pod.begin(0, [
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
      pod.write('addresses', ALL);
      const values = names.map((name) => `$${name}`).join(',');
      const { said } = await pod.begin(1, ['all', 'sh', '-c', `echo "${values}"`], env).end();
      expect(said).toBe(`${names.map((name) => `my ${name}`).join(',')}\n`);
    });

    it('an image without the program is named, with exit code 127, for the status', async () => {
      expect(await pod.run(0, 'all', 'no-such-program')).toMatchObject({
        code: 127,
        warned: 'swarm: the image has no program no-such-program\n',
      });
      expect(pod.read('termination-log')).toBe('swarm: the image has no program no-such-program\n');
    });
  });

  describe('a rank that waits for the others', () => {
    it('a rank begins once its file has the addresses', async () => {
      pod.write('addresses', '');
      const { child, end } = await pod.waiting(1, ['all', 'cat', pod.at('addresses')]);
      expect(child.exitCode).toBeNull();
      // As a kubelet replaces a file of a volume.
      pod.write('new', ALL);
      rmSync(pod.at('addresses'));
      symlinkSync('new', pod.at('addresses'));
      expect(await end()).toMatchObject({ code: 0, said: ALL, warned: '' });
    });

    it('a rank that gets SIGTERM while it waits has not run its command', async () => {
      pod.write('addresses', '');
      const { child, end } = await pod.waiting(1, ['all', 'echo', 'begun']);
      child.kill('SIGTERM');
      expect(await end()).toMatchObject({ code: 143, said: '' });
    });

    it('a shell whose sleep knows whole seconds only waits, too', async () => {
      pod.write('addresses', '');
      const env = pod.withPrograms({
        sleep: `case $1 in *.*) exit 1 ;; esac\necho ${ALL.split('\n')[0]} >${pod.at('addresses')}`,
      });
      expect(await pod.begin(0, ['all', 'echo', 'begun'], env).end()).toMatchObject({
        said: 'begun\n',
        warned: '',
      });
    });

    it('the hosts file of the pod gets the names of all ranks that have an address', async () => {
      pod.write('addresses', ALL);
      const before = pod.read('etc-hosts');
      await pod.run(1, 'all', 'true');
      expect(pod.read('etc-hosts')).toBe(
        `${before}10.0.0.1 sim-0.sim sim-0\n10.0.0.2 sim-1.sim sim-1\n`,
      );
    });

    it('the hosts file gets addresses alone, whatever the annotation has', async () => {
      pod.write('addresses', '6.6.6.6 example.org\n10.0.0.2\n$(reboot)\n');
      const before = pod.read('etc-hosts');
      await pod.run(1, 'all', 'true');
      expect(pod.read('etc-hosts')).toBe(
        `${before}6.6.6.6 sim-0.sim sim-0\n10.0.0.2 sim-1.sim sim-1\n`,
      );
    });

    it.each([
      ['of a machine', '127.0.0.1 localhost\n10.0.0.2 me\n'],
      ['of another pod', `${KUBELETS}10.9.9.9\tother\n`],
      ['that is empty', ''],
    ])('a hosts file %s stays as it is', async (_, hosts) => {
      pod.write('addresses', ALL);
      pod.write('etc-hosts', hosts);
      expect(await pod.run(1, 'all', 'echo', 'begun')).toMatchObject({
        said: 'begun\n',
        warned: '',
      });
      expect(pod.read('etc-hosts')).toBe(hosts);
    });
  });
});
