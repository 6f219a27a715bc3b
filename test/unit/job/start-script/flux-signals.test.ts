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

  describe('a rank that gets SIGTERM', () => {
    /** A process that writes a file, and for five seconds tells when SIGTERM comes. */
    const patient = (code: number): string =>
      `trap "echo told; exit ${code}" TERM; : >${pod.at('up')}; ${fiveSecondsWhile('true')}`;

    /** A short one, so that the script soon looks again. */
    const sleep = (): string => `: >>${pod.at('slept')}; exec ${SLEEP} 0.05`;

    /** As Flux starts one for the processes of a job on this rank. */
    const withShell = (): string =>
      `/bin/sh -c 'mkdir -p ${pod.at('proc')}/$$; trap "echo shell told; rm -r ${pod.at('proc')}/$$; exit" TERM
echo flux-shell >${pod.at('proc')}/$$/comm; : >${pod.at('shell')}; ${fiveSecondsWhile(`[ -e ${pod.at('proc')}/$$ ]`)}' & ${patient(0)}`;

    it('SIGTERM reaches the command, and its exit code is that of the rank', async () => {
      const env = pod.withPrograms({
        flux: `case $1 in
  broker) while [ "$1" != flux-run ]; do shift; done; /bin/sh ${pod.at('start')} "$@" ;;
  run) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
  exec) echo "$*" >${pod.at('others')} ;;
esac`,
        sleep: sleep(),
      });
      const rank = pod.begin(0, [...flux, 'sh', '-c', patient(5)], env);
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 5, said: 'told\n' });
      expect(pod.read('others')).toBe(`exec -q -r all touch ${pod.at('run/ending-all')}\n`);
    });

    it('without a command SIGTERM reaches the broker', async () => {
      const told = { flux: `[ "$1" = broker ] || exit 0; ${patient(0)}`, sleep: sleep() };
      const rank = pod.begin(0, flux, pod.withPrograms(told));
      await pod.until('up', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 0, said: 'told\n' });
    });

    it('another rank that is evicted alone ends its processes, and then its broker', async () => {
      const rank = pod.begin(
        2,
        [...flux, 'true'],
        pod.withPrograms({ flux: withShell(), sleep: sleep() }),
      );
      await pod.until('shell', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 143, said: 'shell told\ntold\n' });
    });

    it('another rank leaves its processes to rank 0 if that gets SIGTERM, too', async () => {
      pod.write('run/ending-all', '');
      const rank = pod.begin(
        2,
        [...flux, 'true'],
        pod.withPrograms({ flux: withShell(), sleep: sleep() }),
      );
      await pod.until('shell', rank);
      rank.child.kill('SIGTERM');
      await pod.until('slept', rank);
      rmSync(pod.at('proc'), { recursive: true });
      expect(await rank.end()).toMatchObject({ code: 143, said: 'told\n' });
    });

    it('another rank whose broker ends meanwhile ends with it', async () => {
      const env = pod.withPrograms({
        flux: `: >${pod.at('up')}; until [ -e ${pod.at('over')} ]; do /bin/sleep 0.05; done; echo over`,
        sleep: sleep(),
      });
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
