// What does a worker do when a process ends, or is to be restarted?
import { describe, expect, it } from '@jest/globals';
import type { Slice } from '../../../src/api/assignment.ts';
import type { Policy } from '../../../src/worker/decide/stream.ts';
import { nextDue, type SupervisorEvent } from '../../../src/worker/decide/supervise.ts';
import { policy, slice } from './builders.ts';
import {
  check,
  crash,
  due,
  ended,
  failed,
  given,
  type Happening,
  of,
  play,
  type Row,
  runningA,
} from './supervise-rows.ts';

describe('crashes', () => {
  const rows: Row[] = [
    [
      'children of a crashed process are told to stop',
      [...runningA, [100, ended('a', 1)]],
      { actions: ['warn a', 'SIGTERM a'], jobs: ['a'] },
    ],
    [
      'a crashed stream backs off, and is still reported',
      [...runningA, ...crash(100)],
      { jobs: ['a'], version: 1, due: 1_100 },
    ],
    [
      'a crashed stream starts again after the back-off',
      [...runningA, ...crash(100), [1_100, due]],
      { actions: ['start a'], jobs: ['a'], version: 1, due: undefined },
    ],
    [
      'the second wait is twice as long',
      [...runningA, ...crash(0), [1_000, due], [1_000, of('a', 'Started')], ...crash(1_000)],
      { due: 3_000 },
    ],
    [
      'a long run resets the backoff',
      [...runningA, ...crash(0), [1_000, due], [1_000, of('a', 'Started')], ...crash(31_000)],
      { due: 32_000 },
    ],
    [
      'a new version is confirmed while a stream backs off',
      [...runningA, ...crash(100), [200, given(2, ['a'])]],
      { actions: [], version: 2 },
    ],
    [
      'a stream that is removed during its back-off needs no stop',
      [...runningA, ...crash(100), [200, given(2, [])]],
      { actions: [], jobs: [], version: 2 },
    ],
    [
      'another weight ends the backoff',
      [...runningA, ...crash(100), [200, given(2, ['a'], 40)]],
      { actions: ['start a'], version: 1 },
    ],
    [
      'a stream that cannot be started is not confirmed',
      [
        [0, given(1, ['a'])],
        [0, failed('a')],
      ],
      { actions: ['warn a'], jobs: [], version: 0, due: 1_000 },
    ],
    [
      'code 0 is one more crash',
      [...runningA, [5, ended('a', 0)], [5, of('a', 'Gone')]],
      { jobs: ['a'], due: 1_005 },
    ],
  ];
  it.each(rows)('a worker restarts crashed streams: %s', (_, happenings, want) =>
    check(happenings, want, policy),
  );

  it('a random part shortens back-offs by up to a quarter, so that streams that crashed together restart apart', () => {
    const of = (chance: number): number | undefined =>
      nextDue(play([...runningA, ...crash(100)], policy, chance).swarm);
    expect([0, 0.5, 0.999].map(of)).toEqual([1_100, 975, 850]);
  });

  it('a crashed stream never waits longer than the longest back-off', () => {
    const crashes = Array.from({ length: 9 }, (_, n): readonly Happening[] => [
      [n * 100_000, due],
      [n * 100_000, of('a', 'Started')],
      ...crash(n * 100_000),
    ]);
    check([[0, given(1, ['a'])], ...crashes.flat()], { due: 860_000 }, policy);
  });
});

describe('finite jobs', () => {
  const rules: Policy = { ...policy, onExit: 'complete' };
  const done: readonly Happening[] = [...runningA, [5, ended('a', 0)], [5, of('a', 'Gone')]];
  const rows: Row[] = [
    ['are done once', done, { jobs: ['a'], version: 1, due: undefined }],
    ['stay done in a new version', [...done, [9, given(2, ['a'])]], { actions: [], version: 2 }],
    [
      'are done anew with another weight',
      [...done, [9, given(2, ['a'], 40)]],
      { actions: ['start a'] },
    ],
    [
      'are done anew when they were taken and given back',
      [...done, [9, given(2, [])], [9, given(3, ['a'])]],
      { actions: ['start a'] },
    ],
    ['are tried again after a crash', [...runningA, ...crash(5)], { due: 1_005 }],
  ];
  it.each(rows)('finite jobs %s', (_, happenings, want) => check(happenings, want, rules));
});

describe('a restart token', () => {
  const asked = (version: number, token?: string, jobs = ['a']): SupervisorEvent => ({
    type: 'Slice',
    slice: slice(version, jobs, token === undefined ? {} : { restarts: { a: token } }),
  });
  const restarting: readonly Happening[] = [...runningA, [5, asked(2, 't1')]];
  const restarted: readonly Happening[] = [
    ...restarting,
    [6, of('a', 'Gone')],
    [7, of('a', 'Started')],
  ];
  const rows: Row[] = [
    [
      'ends the process, and confirms nothing yet',
      restarting,
      { actions: ['SIGTERM a'], jobs: ['a'], version: 1 },
    ],
    [
      'starts the stream again when the old process is gone',
      [...restarting, [6, of('a', 'Gone')]],
      { actions: ['start a'], version: 1 },
    ],
    ['is confirmed when the new process has started', restarted, { jobs: ['a'], version: 2 }],
    [
      'that is the same again restarts nothing',
      [...restarted, [8, asked(3, 't1')]],
      { actions: [], version: 3 },
    ],
    [
      'that is another restarts it again',
      [...restarted, [8, asked(3, 't2')]],
      { actions: ['SIGTERM a'], version: 2 },
    ],
    ['that vanishes restarts nothing', [...restarted, [8, asked(3)]], { actions: [], version: 3 }],
    [
      'that vanishes and comes back restarts nothing',
      [...restarted, [8, asked(3)], [9, asked(4, 't1')]],
      { actions: [], version: 4 },
    ],
    [
      'that vanishes while its process ends restarts it all the same',
      [...restarting, [6, asked(3)], [7, of('a', 'Gone')]],
      { actions: ['start a'], version: 1 },
    ],
    [
      'that came with the stream restarts nothing',
      [
        [0, asked(1, 't1')],
        [0, of('a', 'Started')],
        [5, asked(2, 't1')],
      ],
      { actions: [], version: 2 },
    ],
    [
      'of one stream leaves the others alone',
      [
        [0, given(1, ['a', 'b'])],
        [0, of('a', 'Started')],
        [0, of('b', 'Started')],
        [5, asked(2, 't1', ['a', 'b'])],
      ],
      { actions: ['SIGTERM a'], jobs: ['a', 'b'] },
    ],
    [
      'ends a backoff',
      [...runningA, ...crash(100), [200, asked(2, 't1')]],
      { actions: ['start a'] },
    ],
  ];
  it.each(rows)('a restart token %s', (_, happenings, want) => check(happenings, want, policy));

  it('a restart token runs finite work again', () => {
    const done: readonly Happening[] = [...runningA, [1, ended('a', 0)], [2, of('a', 'Gone')]];
    check(
      [...done, [3, asked(2, 't1')]],
      { actions: ['start a'] },
      { ...policy, onExit: 'complete' },
    );
  });
});

describe('completion Once', () => {
  it('completion Once completes a stream that succeeds, whatever the flags of the worker', () => {
    const once: SupervisorEvent = {
      type: 'Slice',
      slice: slice(1, ['a'], { policy: { completion: 'Once' } }),
    };
    const begun: readonly Happening[] = [
      [0, once],
      [0, of('a', 'Started')],
    ];
    const gone: Happening = [2, of('a', 'Gone')];
    check([...begun, [1, ended('a', 0)], gone], { due: undefined, jobs: ['a'] }, policy);
    check([...begun, ...crash(1)], { due: 1_001 }, policy);
  });
});

describe('maxRestarts', () => {
  const bounded = (version: number, more: Partial<Slice> = {}): SupervisorEvent => ({
    type: 'Slice',
    slice: slice(version, ['a'], { policy: { maxRestarts: 1 }, ...more }),
  });
  const begun: readonly Happening[] = [
    [0, bounded(1)],
    [0, of('a', 'Started')],
  ];
  const again = (at: number): readonly Happening[] => [
    [at, due],
    [at, of('a', 'Started')],
  ];
  const givenUp: readonly Happening[] = [...begun, ...crash(0), ...again(1_000), ...crash(1_001)];
  const rows: Row[] = [
    ['lets a stream restart that often', [...begun, ...crash(0)], { due: 1_000 }],
    [
      'then gives a stream up, and keeps it in the report',
      givenUp,
      { actions: [], jobs: ['a'], version: 1, due: undefined },
    ],
    [
      'keeps a stream given up in a new version',
      [...givenUp, [2_000, bounded(2)]],
      { actions: [], version: 2 },
    ],
    [
      'keeps a stream given up when the bound is removed',
      [...givenUp, [2_000, given(2, ['a'])]],
      { actions: [], version: 2 },
    ],
    [
      'starts a given-up stream again for a restart token',
      [...givenUp, [2_000, bounded(2, { restarts: { a: 't' } })]],
      { actions: ['start a'] },
    ],
    [
      'starts a given-up stream again with another weight',
      [...givenUp, [2_000, bounded(2, { weights: { a: 9 } })]],
      { actions: ['start a'] },
    ],
    [
      'starts a given-up stream again that was removed and added',
      [...givenUp, [2_000, bounded(2, { jobs: [] })], [2_001, bounded(3)]],
      { actions: ['start a'] },
    ],
    [
      'counts from zero after a long run',
      [...begun, ...crash(0), ...again(1_000), ...crash(70_000)],
      { due: 71_000 },
    ],
    [
      'counts starts that fail',
      [
        [0, bounded(1)],
        [0, failed('a')],
        [1_000, due],
        [1_000, failed('a')],
      ],
      { jobs: ['a'], version: 1, due: undefined },
    ],
  ];
  it.each(rows)('maxRestarts %s', (_, happenings, want) => check(happenings, want, policy));
});
