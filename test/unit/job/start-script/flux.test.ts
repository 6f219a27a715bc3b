// What does the start script do in a rank of a Flux job? A stand-in tells how `flux` was called.
import { rmSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { flux, setUpFlux } from './flux-pod.ts';
import { inEachShell, SLEEP } from './pod.ts';

/** Tells its words, each in brackets. */
const TELLS = 'printf "[%s]" "$@"; echo';

inEachShell((pod) => {
  beforeEach(() => setUpFlux(pod));

  const config = (): string => pod.read('run/flux-config/k8slab.toml');
  const broker = (): string =>
    `[broker][--config-path=${pod.at('run/flux-config')}][-Srundir=${pod.at('run/flux')}][-Slocal-uri=local://${pod.at('run/flux/local')}]`;

  describe('which programs a rank runs', () => {
    it('rank 0 runs a broker, which runs the command on all ranks', async () => {
      const env = pod.withPrograms({ flux: TELLS, sim: '' });
      const { said } = await pod.begin(0, [...flux, 'sim', 'a  b', '$X'], env).end();
      const inner = `[/bin/sh][${pod.at('start')}][flux-run][5][sim][a  b][$X]`;
      expect(said).toBe(`${broker()}${inner}\n`);
      const run = await pod.begin(0, ['flux-run', '5', 'sim', 'a  b', '$X'], env).end();
      expect(run.said).toBe('[run][-o][gpu-affinity=off][-N][3][-n][5][--][sim][a  b][$X]\n');
    });

    it('fewer tasks than ranks leave ranks without a task', async () => {
      const env = pod.withPrograms({ flux: TELLS });
      const { said } = await pod.begin(0, ['flux-run', '2', 'true'], env).end();
      expect(said).toBe('[run][-o][gpu-affinity=off][-N][2][-n][2][--][true]\n');
    });

    it('without a command the broker of rank 0 waits for users', async () => {
      const env = pod.withPrograms({ flux: TELLS });
      const { said } = await pod.begin(0, flux, env).end();
      expect(said).toBe(`${broker()}[-Sbroker.rc2_none=1]\n`);
    });

    it('the other ranks run a broker alone', async () => {
      const env = pod.withPrograms({ flux: TELLS });
      const { said, code } = await pod.begin(1, [...flux, 'true'], env).end();
      expect({ said, code }).toEqual({ said: `${broker()}\n`, code: 0 });
    });

    it.each([0, 1])('rank %i runs its broker once all ranks have an address', async (rank) => {
      pod.write('addresses', '');
      pod.withPrograms({ flux: TELLS });
      const { child, end } = await pod.waiting(rank, [...flux, 'true']);
      expect({ code: child.exitCode, prepared: pod.has('run/flux') }).toEqual({
        code: null,
        prepared: false,
      });
      pod.write('addresses', '10.0.0.1\n10.0.0.2\n10.0.0.3\n');
      const { said, code, warned } = await end();
      expect({ said: said.split(']')[0], code, warned }).toEqual({
        said: '[broker',
        code: 0,
        warned: '',
      });
      expect(config()).toContain('10.0.0.3');
    });

    it('a failed broker ends its rank after ten seconds, or on SIGTERM', async () => {
      const sleep = `echo "$1" >${pod.at('slept')}; exec ${SLEEP} "$2"`;
      const failing = { flux: 'exit 3', sleep: sleep.replace('"$2"', '0') };
      expect(await pod.begin(1, [...flux, 'true'], pod.withPrograms(failing)).end()).toMatchObject({
        code: 3,
      });
      expect(pod.read('slept')).toBe('10\n');
      rmSync(pod.at('slept'));
      const waiting = { flux: 'exit 3', sleep: sleep.replace('"$2"', '5') };
      const rank = pod.begin(1, [...flux, 'true'], pod.withPrograms(waiting));
      await pod.until('slept', rank);
      rank.child.kill('SIGTERM');
      expect(await rank.end()).toMatchObject({ code: 3 });
    });

    it('the broker has no FLUX_URI, and shells opened later have it', async () => {
      const told = '[ -z "$FLUX_URI" ] && echo "none $FLUX_SHELL_RC_PATH $SWARM_TASKS $WHAT"';
      const env = { ...pod.withPrograms({ flux: told }), WHAT: "it's  mine" };
      const { said } = await pod.begin(0, [...flux, 'true'], env).end();
      expect(said).toBe(`none ${pod.at('run/lua.d')} 5 it's  mine\n`);
      const kept = pod.read('run/env');
      expect(kept).toContain(`local://${pod.at('run/flux/local')}`);
      for (const name of ['env', 'curve.cert', 'flux-config/k8slab.toml'])
        expect(statSync(pod.at(`run/${name}`)).mode & 0o777).toBe(0o600);
      expect(pod.read('run/curve.cert')).toBe('the certificate\n');
    });

    it('Flux reads the files of its user, too, before it starts processes', async () => {
      const env = {
        ...pod.withPrograms({ flux: 'echo "$FLUX_SHELL_RC_PATH"' }),
        FLUX_SHELL_RC_PATH: '/mine:/ours',
      };
      const { said } = await pod.begin(0, [...flux, 'true'], env).end();
      expect(said).toBe(`/mine:/ours:${pod.at('run/lua.d')}\n`);
    });

    it.each([
      [['true'], {}, 'the image has no program flux (flux-core)'],
      [['no-such-program'], { flux: '' }, 'the image has no program no-such-program'],
    ])('a rank says what its image lacks: %j %j', async (command, programs, says) => {
      pod.withPrograms(programs);
      const only = pod.linkPrograms(['cat', 'mkdir', 'true']);
      const { code, warned } = await pod.begin(1, [...flux, ...command], only).end();
      expect([code, warned]).toEqual([127, `swarm: ${says}\n`]);
      expect(pod.read('termination-log')).toBe(`swarm: ${says}\n`);
    });
  });

  describe('the configuration of the brokers', () => {
    const configured = async (words = flux): Promise<string> => {
      await pod.begin(0, words, pod.withPrograms({ flux: '' })).end();
      return config();
    };

    it('the configuration has the addresses of all ranks, the certificate, and what each rank requests', async () => {
      expect(await configured()).toBe(`\
[bootstrap]
curve_cert = "${pod.at('run/curve.cert')}"
default_port = 8050
hosts = [
  { host = "sim-0", bind = "tcp://10.0.0.1:%p", connect = "tcp://10.0.0.1:%p" },
  { host = "sim-1", bind = "tcp://10.0.0.2:%p", connect = "tcp://10.0.0.2:%p" },
  { host = "sim-2", bind = "tcp://10.0.0.3:%p", connect = "tcp://10.0.0.3:%p" },
]
[exec]
kill-timeout = "30s"
[resource]
noverify = true
[[resource.config]]
hosts = "sim-[0-2]"
cores = "0-1"
`);
    });

    it.each([
      ['1', flux, 'cores = "0-1"', 'room for the tasks'],
      ['1999', ['flux', '3', '1', '1', '30'], 'cores = "0"\ngpus = "0"', 'one'],
      ['4000', flux, 'cores = "0-3"', 'whole cores'],
      ['4999', ['flux', '3', '1', '8', '30'], 'cores = "0-3"\ngpus = "0-7"', 'GPUs'],
    ])('of %s millicores: %j', async (cpu, words, ends) => {
      pod.write('cpu', cpu);
      expect(await configured(words)).toMatch(new RegExp(`\n${ends}\n$`));
    });

    it('without a request of CPUs Flux itself counts the cores', async () => {
      pod.write('cpu', '0');
      expect(await configured()).toMatch(/\nnoverify = true\n$/);
    });

    it('IPv6 addresses are written in brackets, and IPv6 is enabled', async () => {
      pod.write('addresses', 'fd00::1\nfd00::2\nfd00::3\n');
      const text = await configured();
      expect(text).toContain('default_port = 8050\nenable_ipv6 = true\nhosts');
      expect(text).toContain('bind = "tcp://[fd00::1]:%p"');
    });

    it.each(['-', '"] #', 'a;b'])('a rank with the address %j ends the rank', async (address) => {
      pod.write('addresses', `10.0.0.1\n${address}\n10.0.0.3\n`);
      const env = pod.withPrograms({ flux: TELLS });
      expect(await pod.begin(0, [...flux, 'true'], env).end()).toMatchObject({
        code: 127,
        said: '',
        warned: 'swarm: rank 1 has no address\n',
      });
    });

    it('processes are bound to cores only if their user says so, and know their own pod', async () => {
      const env = { ...pod.withPrograms({ flux: '' }), HOSTNAME: 'sim-2' };
      await pod.begin(2, [...flux, 'true'], env).end();
      expect(pod.read('run/lua.d/k8slab.lua')).toBe(`\
shell.options['cpu-affinity'] = shell.options['cpu-affinity'] or 'off'
shell.setenv('SWARM_RANK', '2')
shell.setenv('JOB_COMPLETION_INDEX', '2')
shell.setenv('HOSTNAME', 'sim-2')
`);
    });

    it('an invalid host name reaches no process', async () => {
      const env = { ...pod.withPrograms({ flux: '' }), HOSTNAME: "'..os.exit()..'" };
      await pod.begin(0, [...flux, 'true'], env).end();
      expect(pod.read('run/lua.d/k8slab.lua')).not.toContain('HOSTNAME');
    });
  });
});
