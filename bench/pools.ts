// P6: a thousand pools (or another number) of ten workers, with one operator. How soon does it know
// them, how much memory and time does it use at rest?
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { SimulatedWorkers } from '../test/support/simulated-workers.ts';
import { Figures, untilFigure } from './instruments/figures.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';
import { type Inspected, startInspected } from './instruments/operator.ts';
import { processorSeconds } from './instruments/processor.ts';
import { ManyPools } from './many-pools.ts';

/** The number of namespaces. */
const NAMESPACES = 10;
const WORKERS = 10;
const EDITS = 20;
/** Short, so that ten resyncs do not take long. */
const RESYNC_SECONDS = 3;
const IDLE_SECONDS = 30;
const CREATED_SECONDS = 1_800;
const KIB = 1024;

type Crowd = { readonly pools: number; readonly pods: number; readonly what: string };

/** The same number in each namespace. */
const crowdOf = (atMost: number): Crowd => {
  const pools = atMost - (atMost % NAMESPACES);
  const pods = pools * WORKERS;
  return {
    pools,
    pods,
    what: `P6 ${pools.toLocaleString('en')} pools, ${pods.toLocaleString('en')} pods`,
  };
};

export async function benchPools(count: number): Promise<readonly Measured[]> {
  const crowd = crowdOf(count);
  const swarm = await Swarm.start({ nodes: 0, controlPlane: { nodeMonitorGraceSeconds: 600 } });
  const simulated = await SimulatedWorkers.start(swarm.playground.plane.kubeconfig);
  try {
    const nothing = await startInspected(swarm);
    const { heapMiB: ofNothing } = await nothing.inspector.memory();
    await nothing.end();
    const { pools, row } = await created(swarm, simulated, crowd);
    return [row, ...(await restarted(swarm, pools, crowd, ofNothing)), await resyncs(swarm, crowd)];
  } finally {
    await simulated.stop();
    await swarm.stop();
  }
}

/** Until the operator has decided about every pool, and all workers have confirmed. */
const allConfirmed = ({ process }: Inspected, { pods }: Crowd, seconds: number): Promise<void> =>
  untilFigure(
    process,
    'all workers have confirmed',
    (figures) => figures.sum('swarm_pool_workers_converged') === pods,
    seconds,
  );

/** In the usual order: the operator first, then pools, then their pods. */
async function created(
  swarm: Swarm,
  simulated: SimulatedWorkers,
  crowd: Crowd,
): Promise<{ readonly pools: ManyPools; readonly row: Measured }> {
  const operator = await startInspected(swarm);
  const start = performance.now();
  const pools = await ManyPools.create(swarm, {
    namespaces: NAMESPACES,
    pools: crowd.pools / NAMESPACES,
    workers: WORKERS,
  });
  await eventually('all pods run', () => simulated.ready === crowd.pods, CREATED_SECONDS);
  await allConfirmed(operator, crowd, CREATED_SECONDS);
  const { process, inspector } = operator;
  const row = {
    name: `${crowd.what}: created, until all are published and confirmed`,
    value: `${secondsSince(start).toFixed(0)} s`,
    note: `most of it for creating pods; processor time of the operator ${processorSeconds([process.pid]).toFixed(1)} s; ${(await inspector.memory()).residentMiB.toFixed(0)} MiB`,
  };
  await operator.end();
  return { pools, row };
}

async function restarted(
  swarm: Swarm,
  pools: ManyPools,
  crowd: Crowd,
  ofNothing: number,
): Promise<readonly Measured[]> {
  const start = performance.now();
  const operator = await startInspected(swarm);
  await allConfirmed(operator, crowd, 300);
  const seconds = secondsSince(start);
  const { process, inspector, syncedSeconds } = operator;
  const processor = processorSeconds([process.pid]);
  const synced = await inspector.memory();
  const bytes = ((synced.heapMiB - ofNothing) * KIB) / crowd.pods;
  const changes = await changed(operator, pools, crowd);
  const idle = await usedIn(operator, IDLE_SECONDS);
  const later = await inspector.memory();
  await operator.end();
  return [
    {
      name: `${crowd.what}: started again, until synced`,
      value: `${syncedSeconds.toFixed(1)} s; until all are probed and found correct ${seconds.toFixed(1)} s`,
      target: '<= 30 s',
      isReached: seconds <= 30,
      note: `processor time ${processor.toFixed(1)} s`,
    },
    {
      name: `${crowd.what}: memory`,
      value: `${Math.max(synced.residentMiB, later.residentMiB).toFixed(0)} MiB`,
      target: '<= 512 MiB',
      isReached: Math.max(synced.residentMiB, later.residentMiB) <= 512,
      note: `heap after a collection ${synced.heapMiB.toFixed(0)} MiB, ${bytes.toFixed(1)} KiB for each pod with its other objects`,
    },
    ...changes,
    {
      name: `${crowd.what}: at rest`,
      value: `${((100 * idle.processor) / IDLE_SECONDS).toFixed(1)} % of a core`,
      note: `${idle.writes} writes`,
    },
  ];
}

/** One pool after another, all ten slices of each. */
async function changed(
  { process }: Inspected,
  pools: ManyPools,
  crowd: Crowd,
): Promise<readonly Measured[]> {
  const decided: number[] = [];
  const confirmed: number[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    const place = pools.places[(edit * 97) % pools.places.length];
    if (place === undefined) continue;
    const before = await Figures.of(process);
    const start = performance.now();
    const version = await pools.edit(place, `e${edit}-`);
    await eventually('confirmed', async () => {
      const status = await pools.statusOf(place);
      return status.version > version && status.isConverged;
    });
    confirmed.push(secondsSince(start));
    const after = await Figures.of(process);
    const of = (figure: string): number =>
      after.sum(`swarm_operator_decision_duration_seconds_${figure}`) -
      before.sum(`swarm_operator_decision_duration_seconds_${figure}`);
    decided.push((1000 * of('sum')) / of('count'));
  }
  const slowest = Math.max(...decided);
  return [
    {
      name: `${crowd.what}: one changed pool, observed and decided`,
      value: `median ${quantile(decided, 0.5).toFixed(1)} ms, at most ${slowest.toFixed(1)} ms`,
      target: '<= 50 ms',
      isReached: slowest <= 50,
      note: `mean of the decisions of a change; confirmed after ${quantile(confirmed, 0.5).toFixed(2)} s (median), p99 ${quantile(confirmed, 0.99).toFixed(2)} s`,
    },
  ];
}

async function resyncs(swarm: Swarm, crowd: Crowd): Promise<Measured> {
  const operator = await startInspected(swarm, '--resync-seconds', String(RESYNC_SECONDS));
  await allConfirmed(operator, crowd, 300);
  const { writes, processor } = await usedIn(operator, 10 * RESYNC_SECONDS);
  await operator.end();
  return {
    name: `P7 ${crowd.pools.toLocaleString('en')} pools: writes in ten resyncs`,
    value: String(writes),
    target: '0',
    isReached: writes === 0,
    note: `a resync takes ${(processor / 10).toFixed(2)} s of processor time, with all other work`,
  };
}

async function usedIn(
  { process }: Inspected,
  seconds: number,
): Promise<{ readonly writes: number; readonly processor: number }> {
  const before = {
    writes: (await Figures.of(process)).writes,
    processor: processorSeconds([process.pid]),
  };
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return {
    writes: (await Figures.of(process)).writes - before.writes,
    processor: processorSeconds([process.pid]) - before.processor,
  };
}
