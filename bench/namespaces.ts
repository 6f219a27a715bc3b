// P19, and P9 with it: an operator that watches fifty namespaces. How many requests does it make at
// rest, and how soon does it notice that all of its connections went silent?
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { startOperatorProcess } from '../src/playground/operator-process.ts';
import { makePool, type Pool } from '../test/integration/support/pool.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { type SilentProxy, startSilentProxy } from '../test/support/silent-proxy.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';

const NAMESPACES = 50;
/** Longer than any watch: each begins anew at least once. */
const REST_SECONDS = 240;
const SILENCES = 12;
/** From one silence to the next: all watches work again. */
const PAUSE_SECONDS = 10;

export async function benchNamespaces(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ keepsAudit: false, controlPlane: {} });
  const proxy = await startSilentProxy(Number(new URL(swarm.playground.plane.url).port));
  try {
    const names = Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`);
    const pools: Pool[] = [];
    for (const name of names)
      pools.push(await makePool(swarm, name, { streams: ['a'], workers: 0 }));
    const operator = await startOperatorProcess({
      kubeconfig: await kubeconfigThrough(swarm, proxy),
      guard: swarm.playground.guard,
      logFile: path.join(swarm.playground.plane.dir, 'operator.log'),
      args: ['--lease-namespace', 'swarm-operator', '--namespaces', names.join(',')],
    });
    await eventually('every pool has a status', async () => {
      const known = await Promise.all(pools.map((pool) => pool.status()));
      return known.every((status) => status !== undefined);
    });
    const before = await requestsAt(operator.metricsPort);
    await delay(REST_SECONDS * 1000);
    const aSecond = ((await requestsAt(operator.metricsPort)) - before) / REST_SECONDS;
    const { connections } = proxy;
    const seconds: number[] = [];
    for (let round = 0; round < SILENCES; round += 1) {
      await delay(PAUSE_SECONDS * 1000);
      seconds.push(await silence(swarm, proxy, names[round] ?? '', round));
    }
    await operator.end();
    const longest = Math.max(...seconds);
    return [
      {
        name: `P19 ${NAMESPACES} namespaces at rest: requests`,
        value: `${aSecond.toFixed(1)} a second`,
        target: '<= 10 a second',
        isReached: aSecond <= 10,
        note: `over ${REST_SECONDS} s; ${connections} connections`,
      },
      {
        name: 'P9 the same: all connections go silent -> a change is noticed and published',
        value: `at most ${longest.toFixed(1)} s, median ${quantile(seconds, 0.5).toFixed(1)} s`,
        target: '<= 10 s',
        isReached: longest <= 10,
        note: `${SILENCES} times, ${PAUSE_SECONDS} s apart`,
      },
    ];
  } finally {
    await proxy.stop();
    await swarm.stop();
  }
}

async function kubeconfigThrough(swarm: Swarm, proxy: SilentProxy): Promise<string> {
  const file = await swarm.kubeconfigOf('swarm-operator', 'swarm-operator');
  const through = `${file}.proxy`;
  const { url } = swarm.playground.plane;
  const text = readFileSync(file, 'utf8').replaceAll(url, `https://127.0.0.1:${proxy.port}`);
  writeFileSync(through, text);
  return through;
}

async function requestsAt(port: number): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const counts = [
    ...(await body.text()).matchAll(/^swarm_operator_api_requests_total\{.*\} (\d+)/gm),
  ];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function silence(
  swarm: Swarm,
  proxy: SilentProxy,
  namespace: string,
  round: number,
): Promise<number> {
  const streams = [{ name: 'a' }, { name: `b-${round}` }];
  proxy.goSilent();
  const start = performance.now();
  const patch = JSON.stringify({ spec: { streams } });
  const pool = ['-n', namespace, 'swarmpool', 'tv'];
  await swarm.kubectl('patch', ...pool, '--type=merge', '-p', patch);
  await eventually('the change is noticed', async () => {
    const total = ['get', ...pool, '-o', 'jsonpath={.status.streams.total}'];
    return (await swarm.kubectl(...total)) === String(streams.length);
  });
  return secondsSince(start);
}
