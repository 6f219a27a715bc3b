// What becomes of a labelled batch Job whose start the API server refuses, as a webhook does?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  NOW,
  queueOf,
  runOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const MINUTE_MS = 60_000;
const queue = queueOf({ pods: '1' });
const message = 'admission webhook "no.example" denied the request';
const refused = { reason: 'Forbidden', message };

const plain = (name: string, over: Partial<BatchJob> = {}): BatchJob =>
  runOf(name, {
    ...{ swarmJobUid: undefined, grant: undefined, isSuspended: true, active: 0, ready: 0 },
    ...over,
  });

/** It is admitted, and another one has waited for less long. */
function admitted(): QueueWorld {
  const runs = [plain('night'), plain('day', { createdMs: NOW + 1_000 })];
  const world = worldOf({ queues: [queue], runs });
  const made = carriedOut(world, decideQueues(world, NOW));
  return carriedOut(made, decideQueues(made, NOW));
}

const written = (world: QueueWorld, now: number): readonly object[] =>
  decideQueues(world, now).steps.flatMap((step) =>
    step.do === 'patch' && step.ref.uid === 'run-night' ? [step.body] : [],
  );

describe('a labelled batch Job whose start the API server refuses', () => {
  it.each([
    ['it was refused for less than five minutes', { refused }, 4 * MINUTE_MS],
    ['no operator was there for long', { refused: undefined }, 60 * MINUTE_MS],
  ])('the start of the Job is tried if %s', (_, over, ms) =>
    expect(written({ ...admitted(), ...over }, NOW + ms)).toEqual([
      {
        metadata: {
          annotations: {
            'k8slab.info/grant': '2',
            'k8slab.info/admitted-queue': 'batch',
            'k8slab.info/admitted-pods': '1',
          },
        },
        spec: { suspend: false, podReplacementPolicy: 'Failed' },
      },
    ]),
  );

  it('a refused start is taken back after five minutes, with a warning in the words of the API server', () => {
    const world = { ...admitted(), refused };
    const now = NOW + 6 * MINUTE_MS;
    const annotations = {
      'k8slab.info/grant': '3',
      'k8slab.info/queued-again': '2026-01-01T00:06:00Z',
    };
    expect(written(world, now)).toEqual([{ metadata: { annotations }, spec: { suspend: true } }]);
    const events = decideQueues(world, now).steps.flatMap((it) => (it.do === 'event' ? [it] : []));
    expect(events).toContainEqual(
      expect.objectContaining({
        event: {
          ...{ type: 'Warning', reason: 'StartRefused', action: 'Suspend' },
          message: `Not started within 300 s, and queued again behind the others of its priority, since the API server refuses a write: ${message}`,
        },
      }),
    );
  });

  it('a refused Job keeps its quota until no start can have an effect; then the next Job gets it', () => {
    const now = NOW + 6 * MINUTE_MS;
    const before = { ...admitted(), refused };
    const taken = { ...carriedOut(before, decideQueues(before, now)), refused: undefined };
    const fresh = { ...taken, unnotedMs: new Map([['run-night', 100]]) };
    expect(written(fresh, now)).toEqual([]);
    expect(admittedIn(carriedOut(fresh, decideQueues(fresh, now)))).toEqual(['night']);
    const rest = atRest({ ...taken, unnotedMs: new Map([['run-night', 5_000]]) }, now);
    expect(admittedIn(rest)).toEqual(['day']);
    expect(rest.queues[0]?.status?.waiting).toMatchObject([{ name: 'night' }]);
  });

  it('a refused Job is admitted again under a new grant if no other Job waits', () => {
    const now = NOW + 6 * MINUTE_MS;
    const before = { ...admitted(), refused };
    const taken = { ...carriedOut(before, decideQueues(before, now)), refused: undefined };
    const alone = { ...taken, runs: taken.runs.filter(({ name }) => name === 'night') };
    const rest = atRest({ ...alone, unnotedMs: new Map([['run-night', 5_000]]) }, now);
    expect(rest.runs).toMatchObject([{ name: 'night', grant: 4, isSuspended: false }]);
  });

  it.each([0, NOW - MINUTE_MS])(
    'the time %s, written by a user, gives no Job an earlier place',
    (queuedAgainMs) => {
      const runs = [plain('night', { queuedAgainMs }), plain('day', { createdMs: NOW - 1_000 })];
      expect(admittedIn(atRest(worldOf({ queues: [queue], runs })))).toEqual(['day']);
    },
  );

  it('a time in the future, written by a user, counts as now', () => {
    const runs = [plain('night', { queuedAgainMs: NOW + 1e14 })];
    const { ledger } = atRest(worldOf({ queues: [queue], runs }));
    expect(ledger?.entries).toMatchObject([{ name: 'night', time: '2026-01-01T00:00:00Z' }]);
  });
});
