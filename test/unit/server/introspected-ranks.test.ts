// Does the introspection show the state of each rank of a job, briefly and without its command?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../src/api/batch-job.ts';
import type { AdmittedJob, QueueDetail } from '../../../src/api/introspection/queues.ts';
import type { JobPod } from '../../../src/api/job-pod.ts';
import { atRest, jobOf, podOf, queueOf, runOf, worldOf } from '../../support/queue-worlds.ts';
import { introspected, QUEUE } from './introspected.ts';

const { seeQueues, ask, body } = introspected();

const ranks = (size: number, over: (rank: number) => Partial<JobPod> = () => ({})) =>
  Array.from({ length: size }, (_, rank) =>
    podOf('sim', { name: `sim-${rank}`, uid: `pod-${rank}`, rank, ...over(rank) }),
  );

type Given = { readonly pods: readonly JobPod[]; readonly run?: Partial<BatchJob> };

async function shown(size: number, { pods, run = {} }: Given): Promise<AdmittedJob> {
  const world = worldOf({ queues: [queueOf({ pods: '10000' })], jobs: [jobOf('sim', { size })] });
  seeQueues({ ...atRest(world), runs: [runOf('sim', { completions: size, ...run })], pods });
  const [job] = ((await body(QUEUE)) as QueueDetail).admittedJobs.first;
  if (job === undefined) throw new Error('no job is admitted');
  return job;
}

const stateOf = async (over: Partial<JobPod>, run: Partial<BatchJob>) => {
  const { rankTiles } = await shown(2, { pods: ranks(1, () => over), run });
  const { state, message } = rankTiles?.tiles[0] ?? {};
  return message === undefined ? state : `${state}: ${message}`;
};

const together = { startsTogether: true };
const starting = { isReady: false, hasBegun: false, ip: undefined };
const failed = { isReady: false, hasEnded: true, exitCode: 3 };

/** Of a gang that starts together; undefined: the rank has no pod. */
const podIn = {
  Failed: failed,
  Stuck: { ...starting, trouble: 'Unschedulable' },
  Ending: { isTerminating: true },
  Missing: undefined,
  Pending: starting,
  Waiting: {},
  Running: { hasAddresses: true },
  Succeeded: { isReady: false, hasEnded: true, hasSucceeded: true },
} as const;
type State = keyof typeof podIn;

const pairsOf = (...states: readonly State[]) =>
  states.slice(1).map((state, before) => [states[before], state] as [State, State]);

describe('the ranks of a job', () => {
  it.each<[string, Partial<JobPod>, run: Partial<BatchJob>]>([
    ['Running', {}, {}],
    ['Pending', starting, {}],
    ['Stuck: Unschedulable', { ...starting, trouble: 'Unschedulable' }, {}],
    ['Waiting', {}, together],
    ['Pending', starting, together],
    ['Running', { hasAddresses: true }, together],
    ['Succeeded', { isReady: false, hasEnded: true, hasSucceeded: true }, {}],
    ['Succeeded', failed, { completedIndexes: '0' }],
    ['Failed: exit code 3', failed, {}],
    ['Failed: exit code 137 (OOMKilled)', { ...failed, exitCode: 137, exitWhy: 'OOMKilled' }, {}],
    [
      'Failed: exit code 128',
      { ...failed, exitCode: 128, exitWhy: 'StartError: exec: "secret"' },
      {},
    ],
    ['Failed: disrupted: evicted', { ...failed, isTerminating: true, disruption: 'evicted' }, {}],
    [
      `Failed: disrupted: node lost ${'x'.repeat(78)}…`,
      { ...failed, disruption: `node\nlost ${'x'.repeat(200)}` },
      {},
    ],
    ['Failed: no exit code', { ...failed, exitCode: undefined }, {}],
    ['Ending', { isTerminating: true }, {}],
    ['Ending', { ...failed, isTerminating: true }, {}],
  ])('the introspection shows a rank as %s', async (text, over, run) =>
    expect(await stateOf(over, run)).toBe(text),
  );

  it('the introspection shows ranks in order, and those without a pod', async () => {
    const pods = ranks(3, (rank) => (rank === 1 ? { ...starting, trouble: 'Unschedulable' } : {}));
    const { rankTiles } = await shown(4, {
      pods: [...pods].reverse(),
      run: { launcher: 'MPI', startsTogether: true },
    });
    expect(rankTiles).toEqual({
      ranksEach: 1,
      hasLeader: true,
      tiles: [
        { state: 'Waiting', rank: 0, count: 1 },
        { state: 'Stuck', message: 'Unschedulable', rank: 1, count: 1 },
        { state: 'Waiting', rank: 2, count: 1 },
        { state: 'Missing', rank: 3, count: 1 },
      ],
    });
  });

  it('a rank that waits for the others does not count as one that runs', async () => {
    const job = await shown(2, { pods: ranks(2), run: together });
    expect(job.ranks).toMatchObject({ running: 0, starting: 2 });
  });

  it.each(pairsOf('Succeeded', 'Running', 'Waiting', 'Pending', 'Stuck', 'Failed', 'Ending'))(
    'shows the most advanced pod of a replaced rank: %s, and not %s',
    async (state, other) => {
      const pods = [state, other].map((it) => podOf('sim', { ...podIn[it], uid: it }));
      for (const all of [pods, pods.toReversed()]) {
        const { rankTiles } = await shown(1, { pods: all, run: together });
        expect(rankTiles?.tiles).toMatchObject([{ state, count: 1 }]);
      }
    },
  );

  it.each<[BatchJob['launcher'], boolean]>([
    [undefined, false],
    ['Flux', true],
  ])('a job with the launcher %s has a leader: %s', async (launcher, hasLeader) =>
    expect((await shown(2, { pods: ranks(2), run: { launcher } })).rankTiles).toMatchObject({
      hasLeader,
    }),
  );

  it('a batch Job has no tiles: its pods may have no ranks', async () => {
    const run = runOf('cron', { swarmJobUid: undefined, uid: 'cron', grant: 0, isSuspended: true });
    const world = worldOf({ queues: [queueOf({ pods: '4' })], runs: [run] });
    seeQueues(atRest(world));
    const { admittedJobs } = (await body(QUEUE)) as QueueDetail;
    expect(admittedJobs.first.map(({ kind, rankTiles }) => [kind, rankTiles])).toEqual([
      ['Job', undefined],
    ]);
  });
});

describe('the ranks of a large job', () => {
  it.each([
    [128, 1, 128],
    [129, 2, 65],
    [300, 5, 60],
    [1_000, 10, 100],
    [5_000, 50, 100],
  ])('%d ranks are shown in tiles of %d each', async (size, ranksEach, tiles) => {
    const { rankTiles } = await shown(size, { pods: ranks(size) });
    expect(rankTiles).toMatchObject({ ranksEach });
    expect(rankTiles?.tiles).toHaveLength(tiles);
    expect(rankTiles?.tiles[0]).toEqual({ state: 'Running', rank: 0, count: ranksEach });
  });

  it.each(
    pairsOf('Failed', 'Stuck', 'Ending', 'Missing', 'Pending', 'Waiting', 'Running', 'Succeeded'),
  )('a tile of several ranks shows %s rather than %s', async (worse, better) => {
    const states = [better, worse];
    const pods = ranks(129, (rank) => podIn[states[rank] ?? 'Running'] ?? {});
    const { rankTiles } = await shown(129, {
      pods: pods.filter(({ rank = 0 }) => states[rank] !== 'Missing'),
      run: together,
    });
    expect(rankTiles?.tiles[0]).toMatchObject({ state: worse, rank: 1, count: 1 });
  });

  it('a tile of many ranks shows the worst of them, the first such rank, and how many', async () => {
    const pods = ranks(5_000, (rank) =>
      rank === 117 || rank === 119 ? failed : rank > 110 && rank < 150 ? starting : {},
    );
    const { rankTiles } = await shown(5_000, { pods });
    expect(rankTiles?.tiles.slice(1, 4)).toEqual([
      { state: 'Running', rank: 50, count: 50 },
      { state: 'Failed', message: 'exit code 3', rank: 117, count: 2 },
      { state: 'Running', rank: 150, count: 50 },
    ]);
  });

  it('the introspection answers briefly about a hundred jobs of fifty ranks that all fail', async () => {
    const jobs = Array.from({ length: 100 }, (_, at) => jobOf(`j${at}`, { size: 50 }));
    const world = atRest(worldOf({ queues: [queueOf({ pods: '5000' })], jobs }));
    const pods = jobs.flatMap(({ meta: { name } }) =>
      ranks(50, (rank) => ({ ...failed, jobUid: `run-${name}`, uid: `${name}-${rank}` })),
    );
    const grants = new Map(world.ledger?.entries.map(({ uid, grant }) => [uid, grant] as const));
    const runs = jobs.map(({ meta: { name, uid } }) => runOf(name, { grant: grants.get(uid) }));
    seeQueues({ ...world, runs, pods });
    const { text } = await ask(QUEUE);
    expect(text).toContain('"exit code 3"');
    expect(text.length).toBeLessThan(256 * 1024);
  });
});
