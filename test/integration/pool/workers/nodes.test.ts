// What happens when nodes are lost and come back: which worker takes over, when, and what moves?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import { parsePod } from '../../../../src/api/observed.ts';
import type { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import type { OperatorProcess } from '../../../../src/playground/operator-process.ts';
import { eventually, unseenBy } from '../../../support/processes.ts';
import type { Pool } from '../../support/pool.ts';
import { fenced, names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

const TIMEOUT_SECONDS = 3;
/** How long a failed worker must be Ready before it gets streams again. */
const TRUSTED_AFTER_MS = 10_000;

const forever = ['sleep', '1000000'];

let swarm: Swarm;
let alone: Pool;
let operator: OperatorProcess;

beforeAll(async () => {
  // Long enough for a machine that pauses: pods are scheduled onto Ready nodes, one on each if all
  // are.
  swarm = await Swarm.start({
    nodes: 3,
    node: { heartbeatMs: 500 },
    controlPlane: { nodeMonitorGraceSeconds: 12 },
  });
  operator = await swarm.operator('--leader-election', 'false');
  alone = await swarm.pool('alone', {
    streams: names(6),
    workers: 3,
    spec: { handoff: { type: 'Exclusive' } },
    ...fenced(...forever),
  });
  await alone.converged(names(6), 3);
});

afterAll(() => swarm.stop());

async function nodeOf({ namespace }: Pool, name: string): Promise<PlaygroundNode> {
  const nodeName = asString(
    dig(await swarm.api.get(kinds.Pod, { namespace, name }), 'spec', 'nodeName'),
  );
  const node = swarm.playground.nodes.find((it) => it.name === nodeName);
  if (node === undefined) throw new Error(`${name} is on no node`);
  return node;
}

async function jobsOf(pool: Pool): Promise<Readonly<Record<string, readonly string[]>>> {
  return Object.fromEntries(
    [...(await pool.published()).slices].map(([worker, { jobs }]) => [worker, jobs]),
  );
}

describe('a node that is cut off', () => {
  const streams = names(9);
  let pool: Pool;
  let before: Readonly<Record<string, readonly string[]>>;
  let node: PlaygroundNode;
  let backAt = 0;

  beforeAll(async () => {
    pool = await swarm.pool('lost', { streams, workers: 3 });
    await pool.converged(streams, 3);
    // Set only now: on a slow machine a first start takes longer.
    await pool.edit({
      workers: { failover: { policy: 'AfterTimeout', timeoutSeconds: TIMEOUT_SECONDS } },
    });
    before = await jobsOf(pool);
    node = await nodeOf(pool, 'worker-1');
    expect(node.pods.filter(({ namespace }) => namespace === 'lost')).toHaveLength(1);
  });

  it('a node that is cut off loses the streams of its worker to the others, and the pool reports it', async () => {
    node.disconnect();
    const status = await pool.until(
      'the operator has failed over',
      ({ workers, history }) =>
        workers?.[1]?.state === 'Missing' && history?.[0]?.reason === 'WorkerMissing',
    );
    expect(status.history?.[0]).toMatchObject({ version: 2, moves: 3 });
    expect(status.workers?.[1]).toMatchObject({
      jobs: [],
      message: expect.stringMatching(
        /^away for too long \(NodeLost: node \S+ does not report\); its streams moved to other workers$/,
      ),
    });
    await pool.until('the others run all streams', async ({ workers }) =>
      [0, 2].every((ordinal) => workers?.[ordinal]?.state === 'Converged'),
    );
    const jobs = await jobsOf(pool);
    expect(jobs['worker-0']).toEqual(expect.arrayContaining([...(before['worker-0'] ?? [])]));
    expect(jobs['worker-2']).toEqual(expect.arrayContaining([...(before['worker-2'] ?? [])]));
    expect(Object.values(jobs).flat().sort()).toEqual([...streams].sort());
    expect(await pool.condition('Converged')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('worker-1 Missing'),
    });
  });

  it('a node that returns gets its streams back by the fewest moves, when its worker was Ready for a while', async () => {
    backAt = performance.now();
    node.reconnect();
    const status = await pool.converged(streams, 3);
    expect(performance.now() - backAt).toBeGreaterThan(TRUSTED_AFTER_MS);
    expect(status.history?.[0]).toMatchObject({ version: 3, moves: 3 });
    expect(status.history).toHaveLength(3);
  });

  it('no stream moves when more than half of the workers are cut off', async () => {
    const other = await nodeOf(pool, 'worker-2');
    const published = await pool.published();
    // Both nodes change within one probe timeout, so that the operator does not see only one of
    // them.
    const atOnce = (ready: number, change: (of: PlaygroundNode) => void): Promise<void> =>
      unseenBy(operator, () => {
        for (const it of [node, other]) change(it);
        return eventually(
          `${ready} are Ready`,
          async () => (await pool.pods()).filter((pod) => parsePod(pod).isReady).length === ready,
        );
      });
    await atOnce(1, (it) => it.disconnect());
    await pool.until('the next worker is the last', ({ readyReplicas }) => readyReplicas === 1);
    const start = performance.now();
    await eventually(
      'their time is up',
      () => performance.now() - start > (TIMEOUT_SECONDS + 1) * 1_000,
    );
    expect((await pool.status())?.version).toBe(published.version);
    await atOnce(3, (it) => it.reconnect());
    await pool.converged(streams, 3);
    expect((await pool.published()).object.metadata.resourceVersion).toBe(
      published.object.metadata.resourceVersion,
    );
  });
});

// The last test: its node does not come back.
describe('a node that is lost for good, with handoff Exclusive', () => {
  it('a pool in which nodes came back in time has moved no stream', async () => {
    expect((await alone.converged(names(6), 3)).version).toBe(1);
  });

  it('a lost node keeps the streams of its worker with Exclusive, and those of other workers go on', async () => {
    await (await nodeOf(alone, 'worker-1')).vanish();
    await eventually('status names it', async () => {
      const { status, message } = (await alone.condition('Converged')) ?? {};
      const said =
        /^2 streams are down: worker-1 Pending \(its pod is not Ready \(NodeLost: node \S+ does not report\); its streams stay with it until its pod is back /;
      return status === 'False' && said.test(message ?? '');
    });
    await alone.edit({ streams: ['new', 's1', 's2', 's3', 's4', 's5'].map((name) => ({ name })) });
    await alone.until('the new worker runs it', async () =>
      (await alone.running()).some(({ jobs }) => jobs.includes('new')),
    );
    expect((await jobsOf(alone))['worker-1']).toEqual(['s2', 's3']);
  });

  it('with Exclusive a lost worker keeps its streams until a user confirms that its processes are gone', async () => {
    await alone.edit({ workers: { cordoned: [1] } });
    const status = await alone.until(
      'the pool waits for it',
      ({ workers }) => workers?.[1]?.state === 'Releasing',
    );
    expect(status.workers?.[1]?.message).toContain('has not confirmed that it released s2, s3');
    expect(
      Object.values(await jobsOf(alone))
        .flat()
        .sort(),
    ).toEqual(['new', 's1', 's4', 's5']);
    await swarm.kubectl('-n', 'alone', 'delete', 'pod', 'worker-1', '--force', '--grace-period=0');
    await alone.converged(['new', 's1', 's2', 's3', 's4', 's5'], 3);
    expect((await jobsOf(alone))['worker-1']).toEqual([]);
  });
});
