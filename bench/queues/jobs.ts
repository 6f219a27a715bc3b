// P12: how long does a job wait for nothing but the operator, how often is something written in its
// life, and how many jobs pass through a queue? With a real API server and Job controller; pods are
// simulated: each runs for 0.2 s and succeeds.
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig } from '../../src/api/objects.ts';
import { Swarm } from '../../test/integration/support/swarm.ts';
import { eventually } from '../../test/support/processes.ts';
import { Figures, writesText } from '../instruments/figures.ts';
import { type Measured, quantile } from '../instruments/measure.ts';
import { NAMESPACE, SimulatedPods } from './simulated-pods.ts';
import { job, queue, throughput } from './throughput.ts';

const START_SECONDS = 0.2;
const NEXT_SECONDS = 0.5;
const WRITES = 7;
/** Jobs of one queue for one pod. */
const WAITING = 50;

export async function benchJobs(count: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ nodes: 0 });
  const pods = new SimulatedPods(swarm);
  try {
    const operator = await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
    await swarm.kubectl('create', 'namespace', NAMESPACE);
    void pods.run();
    const started = await startTimes(swarm, pods, 100);
    const before = await Figures.of(operator);
    const next = await nextTimes(swarm, pods, WAITING);
    const after = await Figures.of(operator);
    const writes = (after.writes - before.writes) / WAITING;
    const idle = await idleWrites(operator);
    return [
      latency('a job in an empty queue -> its pods may start', started, START_SECONDS),
      latency('one job ends -> the next may start', next, NEXT_SECONDS),
      {
        name: 'P12 writes in the life of a job of one pod that waits, events aside',
        value: writes.toFixed(1),
        target: `<= ${WRITES}`,
        isReached: writes <= WRITES,
        note: writesText(before, after, WAITING),
      },
      { name: 'P12 writes at rest, in 10 s', value: `${idle}`, target: '0', isReached: idle === 0 },
      ...(await throughput(swarm, { operator, pods, count })),
    ];
  } finally {
    pods.stop();
    await swarm.stop();
  }
}

const latency = (what: string, seconds: readonly number[], most: number): Measured => {
  const [half, p99] = [quantile(seconds, 0.5), quantile(seconds, 0.99)];
  return {
    name: `P12 ${what}, p99`,
    value: `${p99.toFixed(2)} s`,
    target: `<= ${most} s`,
    isReached: p99 <= most,
    note: `median ${half.toFixed(2)} s of ${seconds.length}`,
  };
};

const isOver = async (swarm: Swarm, name: string): Promise<boolean> =>
  asString(
    dig(await swarm.api.get(kinds.SwarmJob, { namespace: NAMESPACE, name }), 'status', 'state'),
  ) === 'Succeeded';

async function startTimes(
  swarm: Swarm,
  { startedMs }: SimulatedPods,
  count: number,
): Promise<readonly number[]> {
  await queue(swarm, 'empty', 100);
  const seconds: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const name = `empty-${at}`;
    const begin = performance.now();
    await job(swarm, 'empty', name);
    await eventually(`${name} is started`, () => startedMs.has(name));
    seconds.push(((startedMs.get(name) ?? 0) - begin) / 1000);
  }
  await eventually('all are over', () => isOver(swarm, `empty-${count - 1}`), 60);
  return seconds;
}

/** In a queue for one pod, all wait but the first. */
async function nextTimes(
  swarm: Swarm,
  { startedMs, endedMs }: SimulatedPods,
  count: number,
): Promise<readonly number[]> {
  await queue(swarm, 'single', 1);
  const names = Array.from({ length: count }, (_, at) => `single-${String(at).padStart(3, '0')}`);
  for (const name of names) await job(swarm, 'single', name);
  await eventually('all are over', () => names.every((name) => endedMs.has(name)), 120);
  const starts = names.map((name) => startedMs.get(name) ?? 0).sort((a, b) => a - b);
  const ends = names.map((name) => endedMs.get(name) ?? 0).sort((a, b) => a - b);
  await eventually('the last is over', () => isOver(swarm, names.at(-1) ?? ''), 60);
  return starts.slice(1).map((start, at) => (start - (ends[at] ?? 0)) / 1000);
}

async function idleWrites(operator: Parameters<typeof Figures.of>[0]): Promise<number> {
  // The last progress is written two seconds late.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = (await Figures.of(operator)).writes;
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return (await Figures.of(operator)).writes - before;
}
