// P12: how long does a job wait for nothing but the operator, how often is something written in its
// life, and how many jobs pass through a queue? With a real API server and Job controller; pods are
// simulated: each runs for 0.2 s and succeeds.
import { kinds } from '../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../src/api/objects.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { Figures } from './instruments/figures.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';

const NAMESPACE = 'jobs';
const RUN_MS = 200;
const START_SECONDS = 0.2;
const NEXT_SECONDS = 0.5;
const WRITES = 7;

export async function benchJobs(count: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ nodes: 0 });
  const pods = new SimulatedPods(swarm);
  try {
    const operator = await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
    await swarm.kubectl('create', 'namespace', NAMESPACE);
    void pods.run();
    const started = await startTimes(swarm, pods, 100);
    const before = (await Figures.of(operator)).writes;
    const next = await nextTimes(swarm, pods, 50);
    const writes = ((await Figures.of(operator)).writes - before) / 50;
    const idle = await idleWrites(operator);
    const passed = await throughput(swarm, pods, count);
    const total = (await Figures.of(operator)).writes;
    return [
      latency('a job in an empty queue -> its pods may start', started, START_SECONDS),
      latency('one job ends -> the next may start', next, NEXT_SECONDS),
      {
        name: 'P12 writes in the life of a job of one pod that waits, events aside',
        value: writes.toFixed(1),
        target: `<= ${WRITES}`,
        isReached: writes <= WRITES,
      },
      { name: 'P12 writes at rest, in 10 s', value: `${idle}`, target: '0', isReached: idle === 0 },
      {
        name: `P12 ${count} jobs of one pod through a queue of 100`,
        value: `${(count / passed.seconds).toFixed(0)} jobs a second`,
        note: `${passed.seconds.toFixed(0)} s; quota in use ${passed.used.toFixed(0)} %; ${((total - before) / (count + 50)).toFixed(1)} writes a job`,
      },
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

/** What a kubelet would tell of the pods, and when batch Jobs were started. */
class SimulatedPods {
  readonly startedMs = new Map<string, number>();
  readonly endedMs = new Map<string, number>();
  readonly #swarm: Swarm;
  readonly #ending = new AbortController();
  living = 0;

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  stop(): void {
    this.#ending.abort();
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#follow(kinds.Pod, (pod, isNew) => isNew && void this.#live(pod)),
      this.#follow(kinds.Job, ({ metadata, spec }) => {
        if (dig(spec, 'suspend') === false && !this.startedMs.has(metadata.name))
          this.startedMs.set(metadata.name, performance.now());
      }),
    ]).catch(() => undefined);
  }

  async #follow(
    kind: typeof kinds.Pod,
    take: (object: KubeObject, isNew: boolean) => unknown,
  ): Promise<void> {
    const { api } = this.#swarm;
    const { signal } = this.#ending;
    let { resourceVersion } = await api.list(kind, NAMESPACE);
    while (!signal.aborted)
      for await (const { type, object } of api.watch(
        kind,
        NAMESPACE,
        { resourceVersion, timeoutSeconds: 60 },
        { signal },
      )) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type === 'ADDED' || type === 'MODIFIED') take(object, type === 'ADDED');
      }
  }

  async #live({ metadata }: KubeObject): Promise<void> {
    this.living += 1;
    await this.#tell(metadata.name, 'Running');
    await new Promise((resolve) => setTimeout(resolve, RUN_MS));
    await this.#tell(metadata.name, 'Succeeded');
    this.living -= 1;
    const job = metadata.labels?.['job-name'] ?? '';
    this.endedMs.set(job, performance.now());
  }

  async #tell(name: string, phase: 'Running' | 'Succeeded'): Promise<void> {
    const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }];
    const body = { status: { phase, conditions } };
    const ref = { namespace: NAMESPACE, name };
    await this.#swarm.api
      .patch(kinds.Pod, ref, { type: 'merge', body }, 'status')
      .catch(() => undefined);
  }
}

const queue = (swarm: Swarm, name: string, pods: number) =>
  swarm.create(kinds.SwarmQueue, NAMESPACE, name, { spec: { quota: { pods: String(pods) } } });

const job = (swarm: Swarm, queueName: string, name: string) =>
  swarm.create(kinds.SwarmJob, NAMESPACE, name, {
    spec: { queueName, image: 'busybox', command: ['true'] },
  });

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

async function throughput(
  swarm: Swarm,
  pods: SimulatedPods,
  count: number,
): Promise<{ readonly seconds: number; readonly used: number }> {
  await queue(swarm, 'many', 100);
  const names = Array.from({ length: count }, (_, at) => `many-${String(at).padStart(5, '0')}`);
  const begin = performance.now();
  const left = [...names];
  const submit = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      await job(swarm, 'many', name);
  };
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(pods.living), 100);
  await Promise.all(Array.from({ length: 8 }, submit));
  await eventually('all are over', () => names.every((name) => pods.endedMs.has(name)), 1_200);
  clearInterval(sampling);
  const mean = samples.reduce((sum, it) => sum + it, 0) / Math.max(1, samples.length);
  return { seconds: secondsSince(begin), used: mean };
}
