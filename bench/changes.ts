// P4, P7: all slices of a pool change at once; how long until every worker has confirmed, and how
// many writes did that take?
import { kinds } from '../src/api/kinds.ts';
import type { KubeObject } from '../src/api/objects.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../src/api/validate.ts';
import { operatorWrites } from '../test/integration/support/audit.ts';
import type { Pool } from '../test/integration/support/pool.ts';
import { names } from '../test/integration/support/shape.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { SimulatedWorkers } from '../test/support/simulated-workers.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';
import { processorSeconds } from './instruments/processor.ts';

const MANY = { workers: 100, changes: 20 };
const VERY_MANY = { workers: 1_000, changes: 5 };
const START_SECONDS = 300;

type Changes = {
  readonly seconds: readonly number[];
  readonly writes: readonly number[];
  /** The mean of one change. */
  readonly operatorSeconds: number;
  readonly workerSeconds: number;
};

/** P4 itself: workers are processes that stop and start real processes. */
export async function benchChanges(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ controlPlane: { audit: true }, node: { maxPods: 200 } });
  try {
    const worker = { args: ['--exec', 'sleep 100000'] };
    const pids = (): readonly number[] =>
      swarm.playground.nodes.flatMap(({ pods }) => pods.flatMap((pod) => pod.pids));
    const changes = await changesOf(swarm, 'many', MANY, worker, pids);
    return [
      row(`P4 ${MANY.workers} workers, local Kubernetes`, changes, 1),
      writesRow(`P7 writes, ${MANY.workers} slices`, changes, MANY.workers),
    ];
  } finally {
    await swarm.stop();
  }
}

/** The share of the operator and the API server: simulated workers follow at once. */
export async function benchSimulated(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({
    nodes: 0,
    controlPlane: { audit: true, nodeMonitorGraceSeconds: 120 },
  });
  const simulated = await SimulatedWorkers.start(swarm.playground.plane.kubeconfig);
  try {
    const rows: Measured[] = [];
    for (const [size, target] of [
      [MANY, 1],
      [VERY_MANY, 5],
    ] as const) {
      const count = size.workers.toLocaleString('en');
      const namespace = `simulated-${size.workers}`;
      const changes = await changesOf(swarm, namespace, size, {}, () => []);
      rows.push(row(`P4 ${count} simulated workers`, changes, target));
      rows.push(writesRow(`P7 writes, ${count} slices, simulated`, changes, size.workers));
      // Deleted, so that the next measurement does not include their work.
      await swarm.kubectl('-n', namespace, 'delete', 'swarmpool/tv', 'statefulset/worker');
      await eventually('their pods are gone', () => simulated.running.size === 0, 300);
    }
    return rows;
  } finally {
    await simulated.stop();
    await swarm.stop();
  }
}

async function changesOf(
  swarm: Swarm,
  namespace: string,
  { workers, changes }: typeof MANY,
  worker: object,
  pids: () => readonly number[],
): Promise<Changes> {
  const operator = await swarm.operator('--leader-election', 'false');
  let streams = names(workers);
  const pool = await swarm.pool(namespace, { streams, workers, worker });
  await confirmed(swarm, pool, 0, workers, START_SECONDS);
  const seconds: number[] = [];
  const writes: number[] = [];
  const written = (): number => operatorWrites(swarm.audit, namespace).length;
  const before = { operator: processorSeconds([operator.pid]), workers: processorSeconds(pids()) };
  for (let round = 0; round < changes; round += 1) {
    const earlier = written();
    const { version = 0 } = (await pool.status()) ?? {};
    streams = names(workers, `r${round}-`);
    const start = performance.now();
    await pool.streams(streams);
    await confirmed(swarm, pool, version, workers);
    seconds.push(secondsSince(start));
    // The last write may not be in the audit log yet.
    await pool.until('rests', ({ convergedReplicas }) => convergedReplicas === workers);
    writes.push(written() - earlier);
  }
  const used = {
    operator: processorSeconds([operator.pid]) - before.operator,
    workers: processorSeconds(pids()) - before.workers,
  };
  await operator.end();
  return {
    seconds,
    writes,
    operatorSeconds: used.operator / changes,
    workerSeconds: used.workers / changes,
  };
}

/**
 * By the pool's status, which is written when the last worker has confirmed; from a watch, so that
 * waiting costs the API server nothing.
 */
async function confirmed(
  swarm: Swarm,
  pool: Pool,
  after: number,
  workers: number,
  seconds = 60,
): Promise<void> {
  const isThere = (status: SwarmPoolStatus | undefined): boolean =>
    (status?.version ?? 0) > after &&
    status?.replicas === workers &&
    status.convergedReplicas === workers;
  const { namespace } = pool;
  const deadline = performance.now() + seconds * 1000;
  let object: KubeObject = await swarm.api.get(kinds.SwarmPool, { namespace, name: 'tv' });
  while (!isThere(parseSwarmPool(object).status)) {
    const left = Math.ceil((deadline - performance.now()) / 1000);
    if (left <= 0)
      throw new Error(
        `after ${seconds} s ${namespace}/tv has not confirmed: ${JSON.stringify(object['status']).slice(0, 2_000)}`,
      );
    const { resourceVersion = '0' } = object.metadata;
    for await (const event of swarm.api.watch(kinds.SwarmPool, namespace, {
      resourceVersion,
      timeoutSeconds: left,
    })) {
      if (event.type === 'BOOKMARK') continue;
      object = event.object;
      if (isThere(parseSwarmPool(object).status)) return;
    }
  }
}

function row(
  name: string,
  { seconds, operatorSeconds, workerSeconds }: Changes,
  target: number,
): Measured {
  const p99 = quantile(seconds, 0.99);
  const processor = [
    `operator ${operatorSeconds.toFixed(2)} s`,
    ...(workerSeconds > 0 ? [`workers ${workerSeconds.toFixed(2)} s`] : []),
  ];
  return {
    name: `${name}: list changed -> all confirmed`,
    value: `p99 ${p99.toFixed(2)} s, median ${quantile(seconds, 0.5).toFixed(2)} s`,
    target: `p99 <= ${target} s`,
    isReached: p99 <= target,
    note: `processor time a change: ${processor.join(', ')}`,
  };
}

function writesRow(name: string, { writes }: Changes, slices: number): Measured {
  const most = Math.max(...writes);
  return {
    name,
    value: `at most ${most}, median ${quantile(writes, 0.5)}`,
    target: `<= ${slices + 3}`,
    isReached: most <= slices + 3,
    note: `${writes.length} changes`,
  };
}
