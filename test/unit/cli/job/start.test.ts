// When does a command that follows a job give up, and what does it say before?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { parseSwarmJob } from '../../../../src/api/validate.ts';
import { JobStart } from '../../../../src/cli/job/start.ts';
import { neverReasons } from '../../../../src/queue/reasons.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { jobObject, statusAt } from '../job-object.ts';

const MINUTE = 60_000;

/** What the command sees, after so many milliseconds since the last. */
type Seen =
  | { readonly afterMs: number; readonly job: readonly [state: string, reason: string] }
  | { readonly afterMs: number; readonly ranks: number };

async function givenUp(
  seen: readonly Seen[],
  { isPatient = false, timeoutMs = 60 * MINUTE, totalMs = 24 * 60 * MINUTE } = {},
) {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const ends: string[] = [];
  const note = (line: string): void => void notes.push(line);
  const start = new JobStart(
    { what: 'SwarmJob n/a', timeoutMs, isPatient, clock, note },
    ({ is, why }) => ends.push(`${clock.monotonic() / 1_000}s ${is}: ${why}`),
  );
  for (const it of seen) {
    await clock.advance(it.afterMs);
    if ('ranks' in it) start.onRanks(it.ranks);
    else {
      const status = statusAt(...it.job, 'why');
      start.onJob(parseSwarmJob(jobObject({ name: 'a', status }) as KubeObject));
    }
  }
  await clock.advance(totalMs);
  start.end();
  expect(clock.pending).toBe(0);
  return { notes, ends };
}

const job = (state: string, reason: string, afterMs = 100): Seen => ({
  afterMs,
  job: [state, reason],
});
const ranks = (running: number, afterMs = 100): Seen => ({ afterMs, ranks: running });

describe('a command that follows a job', () => {
  it.each(neverReasons)('gives up soon when the job waits with the reason %s', async (reason) => {
    const { ends } = await givenUp([job('Waiting', reason)], { totalMs: MINUTE });
    expect(ends).toEqual([`2.1s never: SwarmJob n/a cannot start: ${reason}: why`]);
  });

  it.each<[string, readonly Seen[], readonly string[]]>([
    [
      'the operator reads the queue a second after the job',
      [job('Waiting', 'QueueNotFound'), job('Admitted', 'Admitted', 1_000), ranks(1)],
      [],
    ],
    [
      'the job changes from one such reason to another',
      [job('Waiting', 'QueueNotFound'), job('Waiting', 'TooLargeEver', 1_500)],
      ['3.6s never: SwarmJob n/a cannot start: TooLargeEver: why'],
    ],
    [
      'no operator reconciles it',
      [],
      [
        '60s unseen: SwarmJob n/a: no operator has reconciled it yet; does one work for queues and jobs?',
      ],
    ],
    [
      'it waits for room too long',
      [job('Waiting', 'WaitingForQuota'), job('Waiting', 'BehindHead', MINUTE)],
      [
        '3600s timeout: after 60m (--timeout) still waiting for a rank of SwarmJob n/a to run; the job is Waiting: BehindHead: why',
      ],
    ],
    ['a rank runs', [job('Starting', 'Starting'), ranks(1), job('Running', 'Running')], []],
    [
      'its ranks have ended, and nobody says how',
      [job('Running', 'Running'), ranks(2), ranks(0, 30 * MINUTE)],
      [
        '5400.2s timeout: after 60m (--timeout) still waiting for a rank of SwarmJob n/a to run; the job is Running: Running: why',
      ],
    ],
    [
      'its queue shrinks while the pods of an attempt end',
      [ranks(1), job('Waiting', 'TooLargeEver'), ranks(0, MINUTE)],
      ['62.2s never: SwarmJob n/a cannot start: TooLargeEver: why'],
    ],
  ])('a command gives up at the right time when %s', async (_, seen, ends) =>
    expect((await givenUp(seen, { totalMs: 100 * MINUTE })).ends).toEqual(ends),
  );

  it('a patient command waits whatever the reason, and says for what', async () => {
    const never = [job('Waiting', 'QueueNotFound')];
    const { notes, ends } = await givenUp(never, { isPatient: true });
    expect(ends).toEqual([]);
    expect(notes[0]).toBe(
      'waiting for a rank of SwarmJob n/a to run; the job is Waiting: QueueNotFound: why (10s)',
    );
    expect(await givenUp([], { isPatient: true })).toMatchObject({ ends: [] });
  });

  it('a command with a short time-out does not wait a minute for an operator', async () =>
    expect((await givenUp([], { timeoutMs: 5_000 })).ends[0]).toMatch(/^5s /));
});
