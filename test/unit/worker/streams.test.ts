// What does a worker tell of its streams that do not simply run?
import { describe, expect, it } from '@jest/globals';
import type { Slice } from '../../../src/api/assignment.ts';
import { readReport } from '../../../src/api/report.ts';
import type { Policy, ProcessEvent } from '../../../src/worker/decide/stream.ts';
import {
  idle,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
} from '../../../src/worker/decide/supervise.ts';
import { createDates, reportedStreams } from '../../../src/worker/report/streams.ts';
import { policy, slice } from './builders.ts';

const second = 1_000;
const minute = 60 * second;

type Happening = readonly [at: number, event: SupervisorEvent];

const given = (version: number, jobs: readonly string[], url?: string): SupervisorEvent => ({
  type: 'Slice',
  slice: slice(version, jobs, {
    ...(url !== undefined && { parameters: Object.fromEntries(jobs.map((job) => [job, { url }])) }),
  }),
});
const of = (event: ProcessEvent, stream = 'a'): SupervisorEvent => ({
  type: 'Process',
  stream,
  event,
});
const due: SupervisorEvent = { type: 'Due' };
const start = (at: number): readonly Happening[] => [
  [at, due],
  [at, of({ type: 'Started' })],
];
type Exit = Omit<Extract<ProcessEvent, { readonly type: 'Exited' }>, 'type'>;
const end = (at: number, exit: Exit = { code: 1 }, said = ''): readonly Happening[] => [
  [at, of({ type: 'Exited', ...exit })],
  [at, of({ type: 'Gone', said })],
];
/** It is started long after each end, whatever the backoff, and runs for a moment. */
const crashes = (...moments: readonly number[]): readonly Happening[] =>
  moments.flatMap((at) => [...start(at), ...end(at)]);

const played = (happenings: readonly Happening[], rules: Policy = policy): SupervisorState =>
  happenings.reduce(
    (swarm, [now, event]) => supervise(rules, swarm, event, { now, chance: 0 })[0],
    idle,
  );
const dateOf = (moment: number): Date => new Date(moment);
const told = (swarm: SupervisorState, now: number) => reportedStreams(swarm, now, dateOf);
const at = (seconds: number): string => `${new Date(seconds * second).toISOString().slice(0, 19)}Z`;

describe('the report of a stream', () => {
  const begin: readonly Happening[] = [[0, given(1, ['a'])]];
  const running: readonly Happening[] = [...begin, [0, of({ type: 'Started' })]];
  const failing = [...begin, ...crashes(0, 10 * second, 20 * second)];
  const bounded = (version: number, more: Partial<Slice> = {}): SupervisorEvent => ({
    type: 'Slice',
    slice: slice(version, ['a'], { policy: { maxRestarts: 2 }, ...more }),
  });
  const complete: Policy = { ...policy, onExit: 'complete' };

  const rows: [what: string, happenings: readonly Happening[], now: number, expected: unknown][] = [
    ['nothing while it runs', running, second, undefined],
    ['that it starts', begin, second, { state: 'Starting', restarts: 0, since: at(0) }],
    [
      'that it is about to start again, after a crash',
      [...running, ...end(5 * second)],
      6 * second,
      { state: 'Starting', restarts: 0, since: at(5), message: 'exit code 1' },
    ],
    [
      'nothing when it runs again after a crash',
      [...running, ...end(5 * second), ...start(9 * second)],
      10 * second,
      undefined,
    ],
    [
      'that it fails, when it ended by itself three times within five minutes',
      failing,
      21 * second,
      { state: 'Restarting', restarts: 2, since: at(0), message: 'exit code 1' },
    ],
    [
      'that it still fails while it is started again',
      [...failing, ...start(50 * second)],
      109 * second,
      { state: 'Restarting', restarts: 3, since: at(0), message: 'exit code 1' },
    ],
    [
      'nothing once it has run for a minute',
      [...failing, ...start(50 * second)],
      110 * second,
      undefined,
    ],
    [
      'that it starts again, when three ends were over more than five minutes',
      [...begin, ...crashes(0, 10 * second, 5 * minute + second)],
      6 * minute,
      { state: 'Starting', restarts: 2, since: at(301), message: 'exit code 1' },
    ],
    [
      'that it fails anew, by an end two minutes after others, though it ran for one',
      [...failing, ...start(50 * second), ...end(2 * minute)],
      2 * minute,
      { state: 'Restarting', restarts: 0, since: at(120), message: 'exit code 1' },
    ],
    [
      'that it fails at once, when it cannot be started',
      [...begin, [second, of({ type: 'SpawnFailed', problem: 'spawn x ENOENT' })]],
      second,
      {
        state: 'Restarting',
        restarts: 0,
        since: at(1),
        message: 'cannot be started: spawn x ENOENT',
      },
    ],
    [
      'that it fails still, when it was started after all and ended within a minute',
      [
        ...begin,
        [second, of({ type: 'SpawnFailed', problem: 'spawn x ENOENT' })],
        ...start(10 * second),
        ...end(11 * second),
      ],
      11 * second,
      { state: 'Restarting', restarts: 1, since: at(1), message: 'exit code 1' },
    ],
    [
      'that it fails, while its children are being stopped',
      [...failing, ...start(50 * second), [51 * second, of({ type: 'Exited', code: 2 })]],
      51 * second,
      { state: 'Restarting', restarts: 3, since: at(0), message: 'exit code 2' },
    ],
    [
      'that it stops',
      [...running, [5 * second, given(2, [])]],
      6 * second,
      { state: 'Stopping', restarts: 0, since: at(5) },
    ],
    [
      'that it stops, since it was asked to, when it is killed',
      [...running, [5 * second, given(2, [])], [20 * second, due]],
      21 * second,
      { state: 'Stopping', restarts: 0, since: at(5) },
    ],
    [
      'that it starts, when it failed and gets other parameters',
      [...failing, [40 * second, given(2, ['a'], 'rtsp://cam')]],
      41 * second,
      { state: 'Starting', restarts: 0, since: at(40) },
    ],
    [
      'that it starts, when it failed and is restarted',
      [...failing, [40 * second, bounded(2, { restarts: { a: 't' } })]],
      41 * second,
      { state: 'Starting', restarts: 0, since: at(40) },
    ],
    [
      'that it is given up, while its children are being stopped',
      [
        [0, bounded(1)],
        ...crashes(0, 10 * second),
        ...start(20 * second),
        [21 * second, of({ type: 'Exited', code: 2 })],
      ],
      21 * second,
      { state: 'Failed', restarts: 2, since: at(21), message: 'exit code 2' },
    ],
    [
      'that it was given up, with its last words',
      [
        [0, bounded(1)],
        ...crashes(0, 10 * second),
        ...start(20 * second),
        ...end(21 * second, { code: 2 }, 'gone'),
      ],
      2 * minute,
      { state: 'Failed', restarts: 2, since: at(21), message: 'exit code 2: gone' },
    ],
    [
      'that it is completed, when it says so itself',
      [...running, ...end(5 * second, { code: 0, isCompleted: true })],
      6 * second,
      { state: 'Completed', restarts: 0, since: at(5) },
    ],
  ];
  it.each(rows)('a worker reports for a stream %s', (_, happenings, now, expected) => {
    expect(told(played(happenings), now).streams?.['a']).toEqual(expected);
  });

  it('a worker reports a stream as completed after exit code 0 of a finite job', () => {
    const { streams } = told(played([...running, ...end(5 * second, { code: 0 })], complete), 0);
    expect(streams).toEqual({ a: { state: 'Completed', restarts: 0, since: at(5) } });
  });

  const messages: [exit: Exit, said: string, message: string][] = [
    [{ code: 1 }, 'Connection refused', 'exit code 1: Connection refused'],
    [{ code: null, signal: 'SIGSEGV' }, '', 'signal SIGSEGV'],
    [{ code: 0 }, 'done', 'exit code 0: done'],
    [{ code: 1, message: 'boom' }, '', 'boom'],
    [{ code: 1 }, 'two\rlines\u2028and \u001b[31mred', 'exit code 1: two lines and red'],
    [{ code: 1 }, 'open rtsp://user:secret@cam/main: 401', 'exit code 1: open …: 401'],
    [{ code: 1 }, 'login se\u001b[0mcret failed of "user:s"', 'exit code 1: login … failed of "…"'],
    [{ code: 1 }, 'x '.repeat(500), `exit code 1: ${'x '.repeat(121)}…`],
  ];
  it.each(messages)('a worker reports how a stream ended: %j and %j', (exit, said, message) => {
    const url = 'rtsp://user:secret@cam/main';
    const swarm = played([
      [0, given(1, ['a'], url)],
      [0, of({ type: 'Started' })],
      ...end(second, exit, said),
    ]);
    expect(told(swarm, second).streams?.['a']?.message).toBe(message);
    expect(message.length).toBeLessThanOrEqual(256);
  });
});

describe('the report of many streams', () => {
  const names = Array.from({ length: 300 }, (_, n) => `s${n}`);
  const all: readonly Happening[] = [
    [0, given(1, names)],
    ...names.map((name): Happening => [0, of({ type: 'Started' }, name)]),
  ];
  const broken = (now: number, name: string): Happening[] =>
    [
      of({ type: 'Exited', code: 1 }, name),
      of({ type: 'Gone' }, name),
      due,
      of({ type: 'SpawnFailed', problem: 'no' }, name),
    ].map((event, index) => [now + index * 10 * second, event]);

  it('a worker reports no streams while all run', () => {
    expect(told(played(all), second)).toEqual({ streams: {} });
  });

  it('a worker reports its hundred worst streams, and how many are in each state', () => {
    const swarm = played([
      ...all,
      ...names.slice(0, 200).flatMap((name): Happening[] => [
        [second, of({ type: 'Exited', code: 1 }, name)],
        [second, of({ type: 'Gone' }, name)],
      ]),
      ...broken(minute, 's299'),
    ]);
    const { states, streams = {} } = told(swarm, 2 * minute);
    expect(states).toMatchObject({ Restarting: 1, Running: 99 });
    expect(Object.keys(streams)).toHaveLength(100);
    expect(Object.keys(streams)[0]).toBe('s299');
  });

  it('a worker reports first the stream that has failed the longest', () => {
    const swarm = played([...all, ...broken(second, 's7'), ...broken(minute, 's1')]);
    expect(Object.keys(told(swarm, 2 * minute).streams ?? {})).toEqual(['s7', 's1']);
  });

  it('a worker reports no more than the operator accepts, however long the names are', () => {
    const long = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(4_000, '\u0001'));
    const { states, streams } = told(played([[0, given(1, long)]]), 0);
    expect(JSON.stringify(streams).length).toBeLessThan(128 * 1024);
    expect(states).toEqual({ Starting: 100 });
  });

  it('a worker reports streams in a form that the operator reads, whatever their names', () => {
    const swarm = played([[0, given(1, ['__proto__', 'constructor', '10'])]]);
    const report = told(swarm, 0);
    const { version: _, ...read } = readReport(JSON.stringify({ version: 1, ...report })) ?? {
      version: 1,
    };
    expect(read).toEqual(report);
    expect(Object.keys(report.streams ?? {})).toContain('__proto__');
  });
});

describe('dates', () => {
  it('dates stay the same for a moment while the clocks drift, and follow a clock that was set', () => {
    let wall = 1_000_000;
    const dates = createDates(
      () => wall,
      () => 0,
    );
    expect(dates(500).getTime()).toBe(1_000_500);
    wall += 900;
    expect(dates(500).getTime()).toBe(1_000_500);
    wall += 200;
    expect(dates(500).getTime()).toBe(1_001_600);
  });
});
