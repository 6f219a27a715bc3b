// P11b, P11c, P11d: a thousand groups of seven follow ten metrics. What does a round cost in which
// nothing changes, how soon do members follow a value that doubles, and how much memory is it?
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { Doublings, type Followed } from './groups/doublings.ts';
import { GROUPS, ManyGroups, MEMBERS, QUERIES } from './groups/many-groups.ts';
import { MetricValues } from './groups/metric-values.ts';
import { PromptController } from './groups/prompt-controller.ts';
import { Rounds, type RoundsCost } from './groups/rounds.ts';
import { untilFigure } from './instruments/figures.ts';
import type { Memory } from './instruments/inspector.ts';
import { type Measured, quantile } from './instruments/measure.ts';
import { startInspected } from './instruments/operator.ts';

const ROUNDS = 10;
/** Rounds whose end is looked for: that alone costs the operator processor time. */
const TIMED_ROUNDS = 3;
const CREATED_SECONDS = 1_800;

export async function benchGroupMetrics(periodSeconds: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({
    nodes: 0,
    controlPlane: {
      nodeMonitorGraceSeconds: 600,
      extraArguments: { controllerManager: ['--controllers=*,-deployment-controller'] },
    },
  });
  const source = await MetricValues.start();
  const controller = await PromptController.start(swarm);
  try {
    return await measured({ swarm, source, controller, periodSeconds });
  } finally {
    controller.stop();
    await source.close();
    await swarm.stop();
  }
}

type Crowd = {
  readonly swarm: Swarm;
  readonly source: MetricValues;
  readonly controller: PromptController;
  readonly periodSeconds: number;
};

async function measured(crowd: Crowd): Promise<readonly Measured[]> {
  const { swarm, source, controller, periodSeconds } = crowd;
  const start = () => startInspected(swarm, '--metric-sources-file', source.file);
  const memoryNow = async (): Promise<Memory> => {
    const operator = await start();
    const memory = await operator.inspector.memory();
    await operator.end();
    return memory;
  };
  const groups = new ManyGroups(swarm, periodSeconds);
  const ofNothing = await memoryNow();
  await groups.createMembers();
  const areReady = (): boolean => controller.ready === GROUPS * MEMBERS;
  await eventually('all members are ready', areReady, CREATED_SECONDS);
  const ofMembers = await memoryNow();
  await groups.createGroups();
  const operator = await start();
  await untilFigure(
    operator.process,
    'all groups are ready',
    (figures) => figures.sum('swarm_group_ready') === GROUPS,
    CREATED_SECONDS,
  );
  const rounds = new Rounds(operator, source, periodSeconds);
  await rounds.seconds();
  const first = await operator.inspector.memory();
  const cost = await rounds.cost(ROUNDS);
  const last = await operator.inspector.memory();
  const seconds: number[] = [];
  for (let round = 0; round < TIMED_ROUNDS; round += 1) seconds.push(await rounds.seconds());
  const doublings = new Doublings({ source, controller, groups, periodSeconds });
  const one = await doublings.ofOne();
  const many = await doublings.ofMany();
  await operator.end();
  return [
    ...roundRows(cost, seconds, periodSeconds),
    ...followRows(one, many, periodSeconds),
    ...memoryRows({ ofNothing, ofMembers, first, last }),
  ];
}

const CROWD = `${GROUPS.toLocaleString('en')} groups x ${MEMBERS}`;

function roundRows(
  { requests, writes, decisions, processorSeconds }: RoundsCost,
  seconds: readonly number[],
  periodSeconds: number,
): readonly Measured[] {
  const what = `P11b ${CROWD}, ${QUERIES} queries, period ${periodSeconds} s`;
  const longest = Math.max(...seconds);
  const processor = processorSeconds / ROUNDS;
  return [
    {
      name: `${what}: a round, from its first request until all are decided about`,
      value: `at most ${longest.toFixed(1)} s`,
      target: '60 s',
      isReached: longest <= 60,
      note: `of ${TIMED_ROUNDS}, with the reading of metrics that shows its end`,
    },
    {
      name: `${what}: requests to Prometheus a round`,
      value: String(requests / ROUNDS),
      target: String(QUERIES),
      isReached: requests === ROUNDS * QUERIES,
      note: `${requests} in ${ROUNDS} rounds`,
    },
    {
      name: `${what}: writes to Kubernetes in ${ROUNDS} rounds`,
      value: String(writes),
      target: '0',
      isReached: writes === 0,
      note: `Events count, too; ${decisions} decisions`,
    },
    {
      name: `${what}: processor time a round`,
      value: `${processor.toFixed(2)} s`,
      target: '6 s',
      isReached: processor <= 6,
      note: `all that the operator used in ${ROUNDS} periods`,
    },
  ];
}

function followRows(
  one: readonly Followed[],
  many: readonly Followed[],
  periodSeconds: number,
): readonly Measured[] {
  const row = (what: string, all: readonly Followed[]): Measured => {
    const at = (part: number) => ({
      late: quantile(
        all.map(({ seconds }) => seconds - periodSeconds),
        part,
      ),
      told: quantile(
        all.map(({ toldSeconds }) => toldSeconds),
        part,
      ),
    });
    const [p99, median] = [at(0.99), at(0.5)];
    return {
      name: `P11c ${what} just after it was asked for -> last of ${MEMBERS} patches accepted, p99`,
      value: `period + ${p99.late.toFixed(2)} s`,
      target: 'period + 1 s',
      isReached: p99.late <= 1,
      note: `${all.length} times, period ${periodSeconds} s; median + ${median.late.toFixed(2)} s; after the answer p99 ${p99.told.toFixed(2)} s, median ${median.told.toFixed(2)} s`,
    };
  };
  const { target, isReached, ...together } = row(
    `the value of ${many.length} groups doubles`,
    many,
  );
  return [row("one group's value doubles", one), together];
}

type Memories = Readonly<Record<'ofNothing' | 'ofMembers' | 'first' | 'last', Memory>>;

function memoryRows({ ofNothing, ofMembers, first, last }: Memories): readonly Measured[] {
  const what = `P11d ${CROWD}: memory`;
  const used = ({ heapMiB, externalMiB }: Memory): number => heapMiB + externalMiB;
  const resident = ({ residentMiB }: Memory): number => residentMiB;
  const added = (of: (memory: Memory) => number) => ({
    value: `${(of(last) - of(ofNothing)).toFixed(0)} MiB`,
    note: `${of(ofNothing).toFixed(0)} MiB without Deployments and groups, ${of(ofMembers).toFixed(0)} with the Deployments alone, ${of(last).toFixed(0)} with all`,
  });
  return [
    {
      name: `${what} that they and their members add, heap and buffers after a collection`,
      ...added(used),
      target: '100 MiB',
      isReached: used(last) - used(ofNothing) <= 100,
    },
    { name: `${what} that they add, resident, with garbage`, ...added(resident) },
    {
      name: `${what} in the first round, and ${ROUNDS} rounds later`,
      value: `heap and buffers ${used(first).toFixed(1)} MiB, ${used(last).toFixed(1)} MiB; resident ${resident(first).toFixed(0)} MiB, ${resident(last).toFixed(0)} MiB`,
    },
  ];
}
