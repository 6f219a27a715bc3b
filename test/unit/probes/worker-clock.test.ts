// What becomes of the times that a worker with a wrong clock reports? The Date header of its
// answers says what time it is there.
import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { aheadOf, NO_ANSWER, readAnswer } from '../../../src/probes/last-answer.ts';
import { WorkerProbes } from '../../../src/probes/probes.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { eventually } from '../../support/processes.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const most = { jobs: 10, bytes: 10_000 };

const dateIn = (ms: number): string => new Date(now + ms).toUTCString();
const isoIn = (ms: number): string => `${new Date(now + ms).toISOString().slice(0, 19)}Z`;

function sinceTold(since: string, date: string | undefined): string | undefined {
  const streams = { s0: { state: 'Restarting', restarts: 3, since } };
  const body = Buffer.from(JSON.stringify({ version: 1, streams, states: { Restarting: 1 } }));
  const { answer } = readAnswer(NO_ANSWER, '', body, most, aheadOf(NO_ANSWER, date, now));
  return answer.ok ? answer.report.streams?.['s0']?.since : 'no report';
}

describe('a stream that has failed for a minute, at a worker with a wrong clock', () => {
  it.each<[what: string, aheadMs: number]>([
    ['right', 0],
    ['hours ahead', 5 * HOUR],
    ['hours behind', -5 * HOUR],
    ['days ahead', 100 * 24 * HOUR],
  ])('a stream has failed for a minute where the clock of its worker is %s', (_, aheadMs) =>
    expect(sinceTold(isoIn(aheadMs - 60_000), dateIn(aheadMs))).toBe(isoIn(-60_000)),
  );

  it.each<[what: string, date: string | undefined]>([
    ['not reported', undefined],
    ['not a time', 'yesterday'],
    ['a little ahead, as clocks are', dateIn(30_000)],
  ])('the time of a stream counts as reported where the clock of its worker is %s', (_, date) =>
    expect(sinceTold(isoIn(-60_000), date)).toBe(isoIn(-60_000)),
  );

  it.each([
    [isoIn(0), 'Fri, 31 Dec 9999 23:59:59 GMT'],
    ['9999-12-31T23:59:59Z', dateIn(-5 * HOUR)],
  ])(
    'a stream has no time where the clock of its worker is far too wrong (%s, %s)',
    (since, date) => expect(sinceTold(since, date)).toBeUndefined(),
  );
});

describe('the lead of a clock', () => {
  const known = (aheadMs: number) => ({ ...NO_ANSWER, aheadMs });

  it.each([
    [0, 59_000, 0],
    [0, 61_000, 61_000],
    [61_000, 59_000, 61_000],
    [61_000, 30_000, 0],
    [5 * HOUR, 5 * HOUR - 1_000, 5 * HOUR],
    [5 * HOUR, 0, 0],
    [5 * HOUR, -5 * HOUR, -5 * HOUR],
  ])(
    'the lead of a clock stays as long as it is about the same: %d ms, then %d ms',
    (before, ms, expected) => expect(aheadOf(known(before), dateIn(ms), now)).toBe(expected),
  );

  it('the lead of a clock is unknown when an answer does not say the time', () =>
    expect(aheadOf(known(5 * HOUR), undefined, now)).toBe(0));
});

it('the Date header of a real answer corrects the times of its streams', async () => {
  const wrong = Date.now() - 5 * HOUR;
  const streams = { s0: { state: 'Failed', restarts: 3, since: new Date(wrong).toISOString() } };
  const server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() - 5 * HOUR).toUTCString());
    response.end(JSON.stringify({ version: 1, streams, states: { Failed: 1 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const workers = new WorkerProbes({ clock: systemClock, onChange: () => undefined });
  const url = `http://127.0.0.1:${port}/internal/version`;
  try {
    workers.probe('a/p', [{ podUid: 'u', url, awaiting: '1', isOutstanding: true, most }]);
    await eventually('it is probed', () => workers.answersOf('a/p')['u']?.ok === true);
    const answer = workers.answersOf('a/p')['u'];
    const since = answer?.ok === true ? answer.report.streams?.['s0']?.since : undefined;
    expect(Math.abs(Date.parse(String(since)) - Date.now())).toBeLessThan(60_000);
  } finally {
    await workers.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
