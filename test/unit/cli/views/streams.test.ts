// Are the worst streams shown first, and the rest counted?
import { expect, it } from '@jest/globals';
import { textOf } from '../../../../src/cli/render.ts';
import { streamLines } from '../../../../src/cli/views/streams.ts';
import type { ListedStream } from '../../../../src/pool/plan/stream-list.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const lines = (streams: readonly ListedStream[], isWide = false): readonly string[] =>
  streamLines(streams, 200, isWide, now).map((line) => textOf(line).trimEnd());

it('the list of streams has the worst first, with since when and why', () => {
  const streams: readonly ListedStream[] = [
    { stream: 'a', worker: 'w-0', state: 'Running' },
    { stream: 'b', state: 'Unassigned', message: 'no room' },
    {
      ...{ stream: 'c', worker: 'w-1', state: 'Restarting', restarts: 7 },
      ...{ since: '2026-01-01T00:00:00Z', message: 'exit code 1' },
    },
  ];
  expect(lines(streams)).toEqual([
    '3 streams: 1 Restarting, 1 Unassigned, 1 Running',
    '',
    'STREAM  WORKER  STATE       SINCE  RESTARTS  MESSAGE',
    'c       w-1     Restarting  10m           7  exit code 1',
    'b       -       Unassigned  -             -  no room',
    'a       w-0     Running     -             -',
  ]);
});

it('the list of streams says once for each worker that is down why, and when others take over', () => {
  const down = { state: 'Down', message: 'its pod is not Ready (ImagePullBackOff: x)' } as const;
  const takeover = 'other workers take over its streams in 200 s';
  expect(
    lines([
      { stream: 'a', worker: 'w-0', state: 'Running' },
      { stream: 'b', worker: 'w-1', ...down, takeover },
      { stream: 'c', worker: 'w-1', ...down, takeover },
    ]),
  ).toEqual([
    '3 streams: 2 Down, 1 Running',
    'w-1 is down: its pod is not Ready (ImagePullBackOff: x); other workers take over its streams in 200 s',
    '',
    'STREAM  WORKER  STATE    SINCE  RESTARTS  MESSAGE',
    'b       w-1     Down     -             -  its pod is not Ready (ImagePullBackOff: x)',
    'c       w-1     Down     -             -  its pod is not Ready (ImagePullBackOff: x)',
    'a       w-0     Running  -             -',
  ]);
  const many = Array.from(
    { length: 7 },
    (_, at): ListedStream => ({ stream: `s${at}`, worker: `w-${at}`, ...down, takeover }),
  );
  expect(lines(many).slice(5, 7)).toEqual([
    expect.stringContaining('w-4 is down: '),
    '2 more workers are down',
  ]);
});

it('the list of streams has forty of many, and all of them if asked', () => {
  const streams = Array.from(
    { length: 50 },
    (_, at): ListedStream => ({
      stream: `s${at}`,
      worker: 'w',
      state: 'Running',
    }),
  );
  expect(lines(streams)).toHaveLength(44);
  expect(lines(streams).at(-1)).toContain('10 more streams');
  expect(lines(streams, true)).toHaveLength(53);
});
