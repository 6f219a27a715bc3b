// P8, P10: how long do a handover and a restart of all workers take on the local Kubernetes, with
// real processes as workers?
import { kinds } from '../src/api/kinds.ts';
import { asString, dig } from '../src/api/objects.ts';
import type { Pool } from '../test/integration/support/pool.ts';
import { names } from '../test/integration/support/shape.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { type Measured, secondsSince } from './instruments/measure.ts';

const WAVE = 32;
const idle = { args: ['--exec', 'sleep 100000'] };

export async function benchOperations(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start();
  try {
    return [...(await handovers(swarm)), await wave(swarm)];
  } finally {
    await swarm.stop();
  }
}

const confirmed = (pool: Pool, after: number, workers: number): Promise<unknown> =>
  pool.until(
    'confirms',
    (status) => (status.version ?? 0) > after && status.convergedReplicas === workers,
    60,
  );

async function handovers(swarm: Swarm): Promise<readonly Measured[]> {
  const holder = async (): Promise<string> => {
    const lease = await swarm.api
      .get(kinds.Lease, { namespace: 'swarm-operator', name: 'swarm-operator' })
      .catch(() => undefined);
    return asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
  };
  const replaced = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number> => {
    const leader = await swarm.operator();
    await eventually('there is a leader', async () => (await holder()) !== '', 20);
    const first = await holder();
    const next = await swarm.operator();
    const start = performance.now();
    await leader.end(signal);
    await eventually(
      'the other replica leads',
      async () => !['', first].includes(await holder()),
      30,
    );
    const seconds = secondsSince(start);
    await next.end();
    return seconds;
  };
  const term = await replaced('SIGTERM');
  const kill = await replaced('SIGKILL');
  return [
    {
      name: 'P8 leadership handed over on SIGTERM',
      value: `${term.toFixed(1)} s`,
      target: '<= 3 s',
      isReached: term <= 3,
    },
    {
      name: 'P8 leadership taken over after SIGKILL',
      value: `${kill.toFixed(1)} s`,
      target: '<= 10 s',
      isReached: kill <= 10,
    },
  ];
}

async function wave(swarm: Swarm): Promise<Measured> {
  const operator = await swarm.operator('--leader-election', 'false');
  let streams = names(WAVE);
  const pool = await swarm.pool('wave', {
    streams,
    workers: WAVE,
    worker: idle,
    spec: { refresh: { mode: 'Restart', maxUnavailable: '25%' } },
  });
  await pool.converged(streams, WAVE, 120);
  const cycle = await podCycle(swarm, pool);
  const { version = 0 } = (await pool.status()) ?? {};
  streams = names(WAVE, 'other-');
  const start = performance.now();
  await pool.streams(streams);
  await confirmed(pool, version, WAVE);
  const seconds = secondsSince(start);
  await operator.end();
  return {
    name: `P10 restart wave, ${WAVE} workers, maxUnavailable 25 %`,
    value: `${seconds.toFixed(1)} s`,
    target: `<= ${(4 * cycle + 5).toFixed(1)} s (4 pod cycles + 5 s)`,
    isReached: seconds <= 4 * cycle + 5,
    note: `one pod cycle takes ${cycle.toFixed(1)} s`,
  };
}

/** From the deletion of a pod until its successor is Ready. */
async function podCycle(swarm: Swarm, pool: Pool): Promise<number> {
  const uid = async (): Promise<string> =>
    (await pool.pods()).find(({ metadata }) => metadata.name === 'worker-0')?.metadata.uid ?? '';
  const before = await uid();
  const start = performance.now();
  await swarm.kubectl('-n', pool.namespace, 'delete', 'pod', 'worker-0', '--wait=false');
  await eventually('there is a new leader', async () => !['', before].includes(await uid()), 30);
  await swarm.kubectl(
    '-n',
    pool.namespace,
    'wait',
    '--for=condition=Ready',
    'pod/worker-0',
    '--timeout=30s',
  );
  return secondsSince(start);
}
