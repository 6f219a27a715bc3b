// How many jobs pass through one queue, what does that cost, and who pays it?
import { kinds } from '../../src/api/kinds.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { eventually } from '../../test/support/processes.ts';
import { Figures, writesText } from '../instruments/figures.ts';
import { type Measured, secondsSince } from '../instruments/measure.ts';
import { processorSeconds } from '../instruments/processor.ts';
import { NAMESPACE, type SimulatedPods } from './simulated-pods.ts';

const QUOTA = 100;
const CLIENTS = 8;

export const queue = (swarm: Swarm, name: string, pods: number) =>
  swarm.create(kinds.SwarmQueue, NAMESPACE, name, { spec: { quota: { pods: String(pods) } } });

export const job = (swarm: Swarm, queueName: string, name: string) =>
  swarm.create(kinds.SwarmJob, NAMESPACE, name, {
    spec: { queueName, image: 'busybox', command: ['true'] },
  });

type Measure = {
  readonly operator: OperatorProcess;
  readonly pods: SimulatedPods;
  readonly count: number;
};

export async function throughput(
  swarm: Swarm,
  { operator, pods, count }: Measure,
): Promise<readonly Measured[]> {
  await queue(swarm, 'many', QUOTA);
  const names = Array.from({ length: count }, (_, at) => `many-${String(at).padStart(5, '0')}`);
  const before = { figures: await Figures.of(operator), shares: sharesOf(swarm, operator) };
  const begin = performance.now();
  const samples = { used: [] as number[], living: [] as number[] };
  const sampling = setInterval(() => {
    samples.living.push(pods.living);
    void Figures.of(operator).then((figures) => samples.used.push(usedIn(figures)));
  }, 500);
  await submitted(swarm, names);
  const made = secondsSince(begin);
  await eventually('all are over', () => names.every((name) => pods.endedMs.has(name)), 1_800);
  const seconds = secondsSince(begin);
  clearInterval(sampling);
  const figures = await Figures.of(operator);
  const what = `P12 ${count.toLocaleString('en')} jobs of one pod through a queue of ${QUOTA}`;
  const admissions = admissionsIn(figures) - admissionsIn(before.figures);
  const percent = (values: readonly number[]): string =>
    `${((mean(values) / QUOTA) * 100).toFixed(0)} %`;
  return [
    {
      name: `${what}: admissions a second`,
      value: (admissions / seconds).toFixed(1),
      note: `${seconds.toFixed(0)} s; all were submitted after ${made.toFixed(0)} s`,
    },
    {
      name: `${what}: quota in use`,
      value: percent(samples.used),
      note: `by pods that live: ${percent(samples.living)}`,
    },
    {
      name: `${what}: writes a job, events aside`,
      value: ((figures.writes - before.figures.writes) / count).toFixed(1),
      note: writesText(before.figures, figures, count),
    },
    sharesRow(`${what}: the API server's share`, before.shares, sharesOf(swarm, operator), seconds),
  ];
}

async function submitted(swarm: Swarm, names: readonly string[]): Promise<void> {
  const left = [...names];
  const submit = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      await job(swarm, 'many', name);
  };
  await Promise.all(Array.from({ length: CLIENTS }, submit));
}

const ofQueue = (labels: string): boolean =>
  labels.includes('queue="many"') && !/resource="(?!pods)/.test(labels);
const usedIn = (figures: Figures): number => figures.sum('swarm_queue_used', ofQueue);
const admissionsIn = (figures: Figures): number =>
  figures.sum('swarm_queue_admissions_total', ofQueue);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, it) => sum + it, 0) / Math.max(1, values.length);

type Shares = ReadonlyMap<string, number>;

/** Seconds of processor time so far. */
function sharesOf({ playground: { plane } }: Swarm, operator: OperatorProcess): Shares {
  const { apiServer, etcd, controllerManager } = plane.pids;
  const of = (pid: number | undefined): number => (pid === undefined ? 0 : processorSeconds([pid]));
  return new Map([
    ['API server', of(apiServer)],
    ['etcd', of(etcd)],
    ['controller manager', of(controllerManager)],
    ['operator', of(operator.pid)],
    ['this benchmark, with its pods', of(process.pid)],
  ]);
}

function sharesRow(name: string, before: Shares, after: Shares, seconds: number): Measured {
  const used = [...after].map(([who, now]): [string, number] => [
    who,
    now - (before.get(who) ?? 0),
  ]);
  const total = used.reduce((sum, [, it]) => sum + it, 0);
  const share = (it: number): string => `${((it / total) * 100).toFixed(0)} %`;
  const [[, apiServer] = ['', 0], ...others] = used;
  return {
    name,
    value: share(apiServer),
    note: `${others.map(([who, it]) => `${who} ${share(it)}`).join(', ')}, of ${total.toFixed(0)} s of processor time in ${seconds.toFixed(0)} s`,
  };
}
