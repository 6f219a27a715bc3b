// What does the start script do in a rank of a Flux job that gets SIGTERM? A stand-in for `flux`
// runs as the broker.
import { mkdirSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { flux, setUpFlux } from './flux-pod.ts';
import { inEachShell, SLEEP } from './pod.ts';

const fiveSecondsWhile = (condition: string): string =>
  `times=100; while ${condition} && [ $((times = times - 1)) != 0 ]; do /bin/sleep 0.05; done`;

inEachShell((pod) => {
  beforeEach(() => setUpFlux(pod));

  /** Appends to the file that shows in which order things happen. */
  const record = (text: string): string => `echo "${text}" >>${pod.at('records')}`;
  const records = (): string => pod.read('records');

  /** A process that writes a file, runs for five seconds at most, and records SIGTERM. */
  const patient = (name: string, code: number): string =>
    `trap '${record(`${name} gets SIGTERM`)}; exit ${code}' TERM; : >${pod.at('up')}; ${fiveSecondsWhile('true')}`;

  /** Short pauses, which begin when the broker runs. */
  const sleep = (): string =>
    `${fiveSecondsWhile(`[ ! -e ${pod.at('up')} ]`)}; ${record('sleep $1')}; exec ${SLEEP} 0.05`;

  const programs = (flux: string) => pod.withPrograms({ flux, sleep: sleep() });

  /** Appears in /proc under this name. */
  const named = (name: string): string =>
    `mkdir -p ${pod.at('proc')}/$$; echo ${name} >${pod.at('proc')}/$$/comm`;

  /** A broker with a flux-shell, which Flux starts for the processes of a job on this rank. */
  const withShell = (): string =>
    `/bin/sh -c 'trap "${record('flux-shell gets SIGTERM').replaceAll('"', '')}; rm -r ${pod.at('proc')}/$$; exit" TERM
${named('flux-shell')}; : >${pod.at('shell')}; ${fiveSecondsWhile(`[ -e ${pod.at('proc')}/$$ ]`)}' &
${named('flux-broker')}
${patient('broker', 0)}`;

  describe('rank 0 gets SIGTERM', () => {
    it('SIGTERM reaches the command, and its exit code is that of the rank', async () => {
      const env = programs(`case $1 in
  broker) while [ "$1" != flux-run ]; do shift; done; /bin/sh ${pod.at('start')} "$@" ;;
  run) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
  exec) echo "$*" >${pod.at('others')} ;;
esac`);
      const rank = pod.begin(0, [...flux, 'sh', '-c', patient('command', 5)], env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 5 });
      expect(records().replaceAll('sleep 2\n', '')).toBe('command gets SIGTERM\n');
      expect(pod.read('others')).toBe(`exec -q -r all touch ${pod.at('run/ending-all')}\n`);
    });

    it('flux run gets SIGTERM again until its processes have started, and not after that', async () => {
      pod.write('records', '');
      const shell = pod.at('proc/7/comm');
      const run = `trap "echo flux run gets SIGTERM >>${pod.at('records')}" TERM
echo $$ >${pod.at('run/flux-run')}; : >${pod.at('up')}; ${fiveSecondsWhile('true')}`;
      const env = pod.withPrograms({
        flux: `[ "$1" = broker ] || exit 0
/bin/sh -c '${run}' >/dev/null 2>&1 &
${fiveSecondsWhile(`[ ! -e ${shell} ]`)}; exit 5`,
        // Each pause ends when flux run has got SIGTERM. A flux-shell appears in the third one; the
        // sixth one is one too many.
        sleep: `echo >>${pod.at('slept')}; count=$(grep -c '' ${pod.at('slept')})
${fiveSecondsWhile(`[ "$(grep -c '' ${pod.at('records')})" -lt "$count" ]`)}
[ "$count" != 3 ] || { mkdir -p ${pod.at('proc/7')}; echo flux-shell >${shell}; }
[ "$count" != 6 ] || rm ${pod.at('run/flux-run')}`,
      });
      const rank = pod.begin(0, [...flux, 'true'], env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 5 });
      expect(records()).toBe('flux run gets SIGTERM\n'.repeat(3));
    });

    it('without a command SIGTERM reaches the broker', async () => {
      const env = programs(`[ "$1" = broker ] || exit 0; ${patient('broker', 0)}`);
      const rank = pod.begin(0, flux, env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 0 });
      expect(records()).toBe('broker gets SIGTERM\n');
    });

    it('more signals do not end a rank before its broker', async () => {
      const env = programs(`[ "$1" = broker ] || exit 0
ending=; trap ending=yes TERM; : >${pod.at('up')}; ${fiveSecondsWhile('[ -z "$ending" ]')}
for time in 1 2 3 4 5; do kill "$PPID" 2>/dev/null; /bin/sleep 0.05; done; exit 5`);
      const rank = pod.begin(0, flux, env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 5 });
    });
  });

  describe('another rank gets SIGTERM', () => {
    it('a rank that is evicted alone ends its processes, and then its broker', async () => {
      const rank = pod.begin(2, [...flux, 'true'], programs(withShell()));
      for (const file of ['shell', 'up']) await pod.until(file, rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 143 });
      expect(records()).toMatch(
        /^(sleep 2\n)+flux-shell gets SIGTERM\n(sleep 2\n)*sleep 1\nbroker gets SIGTERM\n$/,
      );
    });

    it('a rank leaves its processes to rank 0 if that gets SIGTERM, too', async () => {
      pod.write('run/ending-all', '');
      const rank = pod.begin(2, [...flux, 'true'], programs(withShell()));
      for (const file of ['shell', 'up']) await pod.until(file, rank);
      rank.child.kill('SIGTERM');
      await pod.until('records', rank);
      rmSync(pod.at('proc'), { recursive: true });
      expect(await rank.end()).toMatchObject({ code: 143 });
      expect(records()).toMatch(/^(sleep 2\n)+sleep 1\nbroker gets SIGTERM\n$/);
    });

    it('SIGTERM before the broker is known reaches it once it is', async () => {
      pod.signalAfter('-Slocal-uri="$swarm_address" "$@" &');
      const rank = pod.begin(2, [...flux, 'true'], programs(patient('broker', 0)));
      expect(await rank.end()).toMatchObject({ code: 143 });
      expect(records()).toBe('sleep 1\nbroker gets SIGTERM\n');
    });

    it('a rank whose broker ends meanwhile ends with it', async () => {
      const env = programs(
        `: >${pod.at('up')}; until [ -e ${pod.at('over')} ]; do /bin/sleep 0.05; done; echo over`,
      );
      mkdirSync(pod.at('proc/99999999'), { recursive: true });
      pod.write('proc/99999999/comm', 'flux-shell\n');
      const rank = pod.begin(2, [...flux, 'true'], env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      rank.child.kill('SIGTERM');
      pod.write('over', '');
      expect(await rank.end()).toMatchObject({ said: 'over\n', code: 143 });
    });
  });
});
