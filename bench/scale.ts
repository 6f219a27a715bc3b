// What does a pool of a hundred thousand streams cost: to converge, for one edited stream, in
// memory?
import { kinds } from '../src/api/kinds.ts';
import { asRecord, dig } from '../src/api/objects.ts';
import { operatorWrites } from '../test/integration/support/audit.ts';
import { type Large, largePool, manyNames, renamed } from '../test/integration/support/large.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { SimulatedWorkers } from '../test/support/simulated-workers.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';
import { startInspected } from './instruments/operator.ts';
import { processorSeconds } from './instruments/processor.ts';

const SIZE: Large = { streams: manyNames(100_000), lists: 4, shards: 4, workers: 200 };
const EDITS = 5;
const NAMESPACE = 'large';

export async function benchScale(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({
    nodes: 0,
    controlPlane: { audit: true, nodeMonitorGraceSeconds: 120 },
  });
  const simulated = await SimulatedWorkers.start(swarm.playground.plane.kubeconfig);
  try {
    return await scale(swarm);
  } finally {
    await simulated.stop();
    await swarm.stop();
  }
}

async function scale(swarm: Swarm): Promise<readonly Measured[]> {
  const { streams, workers } = SIZE;
  const inspected = await startInspected(swarm);
  const operator = inspected.process;
  const start = performance.now();
  const pool = await largePool(swarm, NAMESPACE, SIZE);
  const converged = (after: number): Promise<unknown> =>
    pool.until(
      'converges',
      (status) =>
        (status.version ?? 0) > after &&
        status.convergedReplicas === workers &&
        status.streams?.assigned === streams.length,
      900,
    );
  await converged(0);
  const first = secondsSince(start);
  const seconds: number[] = [];
  const writes: number[] = [];
  const before = processorSeconds([operator.pid]);
  let large = SIZE;
  for (let edit = 0; edit < EDITS; edit += 1) {
    const earlier = operatorWrites(swarm.audit, NAMESPACE).length;
    const { version = 0 } = (await pool.status()) ?? {};
    const at = performance.now();
    large = await renamed(swarm, NAMESPACE, large, edit * 997, `renamed-${edit}`);
    await converged(version);
    seconds.push(secondsSince(at));
    writes.push(operatorWrites(swarm.audit, NAMESPACE).length - earlier);
  }
  const processor = (processorSeconds([operator.pid]) - before) / EDITS;
  const memory = await inspected.inspector.memory();
  const sizes = await bytesOf(swarm);
  await inspected.end();
  const what = `${streams.length.toLocaleString('en')} streams x ${workers} workers`;
  return [
    {
      name: `${what}: created -> all confirmed`,
      value: `${first.toFixed(1)} s`,
      note: `${sizes.shards} KiB in ${SIZE.shards} ConfigMaps`,
    },
    {
      name: `${what}: one stream edited -> confirmed`,
      value: `median ${quantile(seconds, 0.5).toFixed(2)} s`,
      note: `at most ${Math.max(...writes)} writes, ${Math.round(sizes.shards / SIZE.shards) + sizes.status} KiB of them; processor time of the operator ${processor.toFixed(2)} s`,
    },
    {
      name: `${what}: operator's memory after ${EDITS} edits`,
      value: `${memory.residentMiB.toFixed(0)} MiB`,
      target: '< 512 MiB',
      isReached: memory.residentMiB < 512,
      note: `heap after a collection ${memory.heapMiB.toFixed(0)} MiB; status ${sizes.status} KiB`,
    },
  ];
}

const kib = (text: string): number => Math.round(Buffer.byteLength(text) / 1024);

async function bytesOf(
  swarm: Swarm,
): Promise<{ readonly shards: number; readonly status: number }> {
  const pool = await swarm.api.get(kinds.SwarmPool, { namespace: NAMESPACE, name: 'tv' });
  let shards = '';
  for (let shard = 0; shard < SIZE.shards; shard += 1) {
    const object = await swarm.api.get(kinds.ConfigMap, {
      namespace: NAMESPACE,
      name: `tv-assignments-${shard}`,
    });
    shards += Object.values(asRecord(dig(object, 'data')) ?? {}).join('');
  }
  return { shards: kib(shards), status: kib(JSON.stringify(pool['status'])) };
}
