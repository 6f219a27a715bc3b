// What becomes of a job that is admitted again and again, and never begins?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { carriedOut, jobOf, NOW, queueOf, runOf, worldOf } from '../../../support/queue-worlds.ts';

const isOfLedger = (step: Step): boolean => 'kind' in step && step.kind === kinds.ConfigMap;

const job = jobOf('a', {}, { status: { state: 'Waiting' } });

type Rounds = {
  readonly begins?: boolean;
  /** For so long, the API server refuses the first write that removes an entry. */
  readonly refusedForMs?: number;
};

/** Each grant is taken from the job as soon as it is given. */
function roundsIn(forMs: number, { begins = false, refusedForMs = 0 }: Rounds = {}) {
  let world: QueueWorld = worldOf({ queues: [queueOf({ pods: '1' })], jobs: [job] });
  let writes = 0;
  let reason: string | undefined;
  for (let ms = 0; ms < forMs; ms += 100) {
    const decision = decideQueues({ ...world, monotonicMs: ms }, NOW + ms);
    writes += decision.steps.filter(isOfLedger).length;
    reason = decision.verdicts?.get('uid-a')?.reason ?? reason;
    const isRefused = world.ledger?.entries.length === 1 && ms <= refusedForMs;
    world = isRefused ? { ...world, remembered: decision.remembered } : carriedOut(world, decision);
    const [entry] = world.ledger?.entries ?? [];
    if (entry === undefined) continue;
    const run = runOf('a', { grant: entry.grant + 1, isSuspended: true });
    const resumed = new Set(begins ? [`${run.uid} ${entry.grant}`] : []);
    world = { ...world, runs: [run], remembered: { ...world.remembered, resumed } };
  }
  return { writes, reason };
}

describe('a job that is admitted again and again', () => {
  it('a job that never begins is admitted ten times in ten minutes, and its reason is NeverBegins', () => {
    const { writes, reason } = roundsIn(600_000);
    expect(reason).toBe('NeverBegins');
    // A new ledger; five times at once, where each write takes the last grant away; then after
    // 10 s, 20 s, 40 s, 80 s and 160 s two writes each.
    expect(writes).toBe(1 + 6 + 2 * 5);
  });

  it('a job that begins each time is admitted any number of times', () => {
    expect(roundsIn(2_000, { begins: true })).toMatchObject({ writes: 20 });
  });

  it('a write that is refused and decided again counts once', () => {
    expect(roundsIn(1_200, { refusedForMs: 1_000 }).reason).not.toBe('NeverBegins');
  });
});
