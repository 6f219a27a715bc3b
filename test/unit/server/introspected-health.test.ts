// What does introspection say of streams that do not simply run, and is it silent about the others?
import { describe, expect, it } from '@jest/globals';
import { asList, dig } from '../../../src/api/objects.ts';
import type { ReportedStreams, StreamReport } from '../../../src/api/reported-streams.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { settled } from '../../support/pool-decisions.ts';
import { withPod, world } from '../../support/pool-worlds.ts';
import { introspected, POOL } from './introspected.ts';

const { see, body, ask } = introspected();

const telling = (at: PoolWorld, ordinal: number, told: ReportedStreams): PoolWorld => {
  const uid = at.pods[ordinal]?.uid ?? '';
  const answer = at.answers[uid];
  if (answer?.ok !== true) throw new Error(`worker-${ordinal} does not answer`);
  const report = { ...answer.report, ...told };
  return { ...at, answers: { ...at.answers, [uid]: { ok: true, report } } };
};

const crash: StreamReport = {
  state: 'Restarting',
  restarts: 4,
  since: '2026-01-01T00:00:00Z',
  message: 'exit code 1: rtsp://admin:hunter22@cam refused <img src=x>',
};
/** worker-0 has s0 and s1, worker-1 has s2 and s3. */
const pool = settled(
  world({
    streams: [
      { name: 's0', parameters: { url: 'rtsp://admin:hunter22@cam' } },
      { name: 's1' },
      { name: 's2' },
      { name: 's3', suspend: true },
    ],
  }),
);
const fails = telling(pool, 0, { streams: { s0: crash } });

const assignedOn = async (): Promise<readonly unknown[]> =>
  asList(dig(await body(`${POOL}/board`), 'workers', 'first')).flatMap((worker) =>
    asList(dig(worker, 'assigned')),
  );

describe('a stream that fails', () => {
  it('the board and lists show a failing stream, without the values of its parameters', async () => {
    see(fails);
    const shown = {
      name: 's0',
      weight: 0,
      isRunning: true,
      state: 'Restarting',
      restarts: 4,
      since: '2026-01-01T00:00:00Z',
      message: 'exit code 1: … refused <img src=x>',
    };
    expect(await assignedOn()).toContainEqual(shown);
    expect(await body(`${POOL}/streams?contains=s0`)).toEqual({
      total: 1,
      items: [{ ...shown, worker: 'worker-0' }],
    });
    expect((await ask(`${POOL}/streams/s0`)).text).not.toContain('hunter22');
  });

  it('a failing stream is counted at its worker, and at no other', async () => {
    see(fails);
    expect(asList(dig(await body(`${POOL}/workers`), 'items'))).toMatchObject([
      { name: 'worker-0', failing: 1 },
      expect.not.objectContaining({ failing: expect.anything() }),
    ]);
  });
});

it('the board and lists show a suspended stream at its worker', async () => {
  see(pool);
  expect(await assignedOn()).toContainEqual(
    expect.objectContaining({ name: 's3', state: 'Suspended' }),
  );
  expect(await body(`${POOL}/streams?contains=s3`)).toMatchObject({
    items: [{ worker: expect.stringMatching(/^worker-/), state: 'Suspended' }],
  });
});

it('the introspection adds nothing for streams that run', async () => {
  const healthy = settled(world({ streams: 4 }));
  see(healthy);
  const board = await assignedOn();
  see(telling(telling(healthy, 0, { streams: {} }), 1, { streams: {} }));
  expect(await assignedOn()).toEqual(board);
  expect(board[0]).toEqual({ name: 's0', weight: 0, isRunning: true });
});

it('the board of a thousand failing streams stays short', async () => {
  const workers = 15;
  let at = settled(world({ streams: 1_500, workers }));
  const message = 'x'.repeat(256);
  for (let ordinal = 0; ordinal < workers; ordinal += 1) {
    const answer = at.answers[at.pods[ordinal]?.uid ?? ''];
    const jobs = answer?.ok === true ? (answer.report.jobs ?? []) : [];
    at = telling(at, ordinal, {
      streams: Object.fromEntries(jobs.map((name) => [name, { ...crash, message }])),
    });
  }
  see(at);
  const { text } = await ask(`${POOL}/board`);
  expect(text.match(/Restarting/g)).toHaveLength(1_500);
  expect(text.match(/xxx"/g)).toHaveLength(100);
  expect(text.length).toBeLessThan(256 * 1024);
});

it('the list of streams has a completed stream, at no worker', async () => {
  const once = world({ streams: 2, spec: { streamPolicy: { completion: 'Once' } } });
  const done = { streams: { s0: { state: 'Completed', restarts: 0 } } } as const;
  see(see(telling(settled(once), 0, done)));
  expect(await body(`${POOL}/streams?contains=s0`)).toEqual({
    total: 1,
    items: [{ name: 's0', worker: '', weight: 0, state: 'Completed' }],
  });
});

describe('a worker that is down', () => {
  it('the introspection shows which streams are down, why, and when others take over', async () => {
    const trouble = { trouble: 'ImagePullBackOff', troubleDetail: 'example/worker:1' };
    see(withPod(pool, 1, { isReady: false, ...trouble }));
    const why = 'its pod is not Ready (ImagePullBackOff: example/worker:1)';
    const takeover =
      'other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)';
    expect(await body(POOL)).toMatchObject({
      down: 1,
      firstDown: `worker-1: ${why}`,
      downWorkers: {
        total: 1,
        first: [
          {
            ...{ name: 'worker-1', streams: 1, why, hasCause: true, takeover },
            takeoverTime: '2026-01-01T00:05:00Z',
          },
        ],
      },
    });
    expect(await assignedOn()).toEqual([
      expect.not.objectContaining({ state: 'Down' }),
      expect.not.objectContaining({ state: 'Down' }),
      expect.objectContaining({ name: 's2', state: 'Down' }),
      expect.objectContaining({ name: 's3', state: 'Suspended' }),
    ]);
    expect(await body(`${POOL}/streams/s2`)).toMatchObject({ state: 'Down' });
  });

  it('a worker that only restarts is down, and no cause is named', async () => {
    see(withPod(pool, 1, { isTerminating: true }));
    const shown = await body(POOL);
    expect(shown).toMatchObject({ down: 1, downWorkers: { first: [{ hasCause: false }] } });
    expect(shown).not.toHaveProperty('firstDown');
  });
});
