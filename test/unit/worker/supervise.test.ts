// Which processes does a worker start and stop, and which version does it confirm?
import { describe, it } from '@jest/globals';
import { policy, slice } from './builders.ts';
import {
  check,
  crash,
  due,
  ended,
  given,
  hurry,
  of,
  type Row,
  runningA,
  shutdown,
} from './supervise-rows.ts';

describe('streams come and go', () => {
  const rows: Row[] = [
    ['nothing runs before the first event', [], { jobs: [], version: 0, due: undefined }],
    [
      'an empty slice is confirmed at once',
      [[0, given(3, [])]],
      { actions: [], jobs: [], version: 3 },
    ],
    [
      'two streams are started',
      [[0, given(1, ['a', 'b'])]],
      { actions: ['start a', 'start b'], jobs: [], version: 0 },
    ],
    [
      'a version is not confirmed before all streams have started',
      [
        [0, given(1, ['a', 'b'])],
        [0, of('b', 'Started')],
      ],
      { jobs: ['b'], version: 0 },
    ],
    [
      'a version is confirmed when all streams have started',
      runningA,
      { actions: [], jobs: ['a'], version: 1, due: undefined },
    ],
    [
      'a new version with the same streams starts nothing',
      [...runningA, [5, given(2, ['a'])]],
      { actions: [], version: 2 },
    ],
    ['twice the same stream is one', [[0, given(1, ['a', 'a'])]], { actions: ['start a'] }],
    [
      'a stream called constructor has no parameters',
      [[0, given(1, ['constructor'])]],
      { actions: ['start constructor'] },
    ],
    [
      'a partial slice is not confirmed',
      [[0, { type: 'Slice', slice: slice(3, []), isPartial: true }]],
      { jobs: [], version: 0 },
    ],
    [
      'a removed stream is stopped',
      [...runningA, [5, given(2, [])]],
      { actions: ['SIGTERM a'], jobs: ['a'], version: 1, due: 10_005 },
    ],
    [
      'a stream is not gone when its main process has ended',
      [...runningA, [5, given(2, [])], [6, ended('a', 0)]],
      { jobs: ['a'], version: 1 },
    ],
    [
      'a stream is gone when all its processes have ended',
      [...runningA, [5, given(2, [])], [6, ended('a', 0)], [7, of('a', 'Gone')]],
      { jobs: [], version: 2, due: undefined },
    ],
    [
      'a stream that is slow to stop is killed',
      [...runningA, [5, given(2, [])], [10_005, due]],
      { actions: ['SIGKILL a'], version: 1, due: undefined },
    ],
    [
      'a stream is not killed before its grace period ends',
      [...runningA, [5, given(2, [])], [10_004, due]],
      { actions: [] },
    ],
    [
      'a stream that is removed and added while it stops starts again when the old process is gone',
      [...runningA, [5, given(2, [])], [6, given(3, ['a'])], [7, of('a', 'Gone')]],
      { actions: ['start a'], jobs: [], version: 1 },
    ],
    [
      'another weight starts another process',
      [...runningA, [5, given(2, ['a'], 40)]],
      { actions: ['SIGTERM a'], version: 1 },
    ],
    [
      'a stream that is removed before it has started counts as removed once its process is gone',
      [
        [0, given(1, ['a'])],
        [1, given(2, [])],
        [2, of('a', 'Started')],
        [3, ended('a', null)],
        [3, of('a', 'Gone')],
      ],
      { jobs: [], version: 2 },
    ],
    [
      'the same version with other streams is not confirmed yet',
      [...runningA, [5, given(1, ['a', 'b'])]],
      { jobs: ['a'], version: 0 },
    ],
    [
      'a stream in releasing is stopped',
      [...runningA, [5, { type: 'Slice', slice: slice(2, [], { releasing: ['a'] }) }]],
      { actions: ['SIGTERM a'] },
    ],
  ];
  it.each(rows)('a worker follows its slice: %s', (_, happenings, want) =>
    check(happenings, want, policy),
  );
});

describe('shutdown', () => {
  const rows: Row[] = [
    [
      'stops all at once',
      [
        [0, given(1, ['a', 'b'])],
        [5, shutdown],
      ],
      { actions: ['SIGTERM a', 'SIGTERM b'], due: 10_005 },
    ],
    [
      'forgets streams that back off',
      [...runningA, ...crash(100), [200, shutdown]],
      { actions: [], jobs: [], due: undefined },
    ],
    [
      'starts nothing again',
      [...runningA, [5, given(2, ['a'], 40)], [6, shutdown], [7, of('a', 'Gone')]],
      { actions: [], jobs: [] },
    ],
    [
      'ignores slices',
      [...runningA, [5, shutdown], [6, given(2, ['b'])]],
      { actions: [], version: 1 },
    ],
    [
      'confirms nothing',
      [...runningA, [4, given(2, [])], [5, shutdown], [6, of('a', 'Gone')]],
      { jobs: [], version: 1 },
    ],
    ['can be hurried', [...runningA, [5, shutdown], [6, hurry]], { actions: ['SIGKILL a'] }],
    [
      'kills once',
      [...runningA, [5, shutdown], [6, hurry], [7, hurry], [20_000, due]],
      { actions: [] },
    ],
  ];
  it.each(rows)('shutdown %s', (_, happenings, want) => check(happenings, want, policy));

  it('shutdown takes no longer than the drain timeout', () => {
    check([...runningA, [5, shutdown]], { due: 3_005 }, { ...policy, drainMs: 3_000 });
    check(
      [...runningA, [5, given(2, [])], [6, shutdown]],
      { due: 3_006 },
      { ...policy, drainMs: 3_000 },
    );
  });
});
