// Does the page say of the members of a group, and of its transitions, what the operator answered?
import { describe, expect, it } from '@jest/globals';
import type {
  EndedTransition,
  GroupDetail,
  GroupMember,
} from '../../../src/api/introspection/groups.ts';
import { progressOf, stagesOf } from '../../../src/web/model/members.ts';
import { endedRows, timesText, transitionText } from '../../../src/web/model/transitions.ts';
import { detail, member, now, type Transition, transition } from './group-answers.ts';

describe('the members of a group', () => {
  it('the page shows members by stage, and marks the current stage', () => {
    const members = [
      member('web', { stage: 4, ready: 1, replicas: 1, state: 'Waiting' }),
      member('db', { stage: 0 }),
      member('auth', { stage: 3, ready: 2, state: 'Scaling' }),
      member('image', { stage: 3 }),
    ];
    const shown = detail(members, { transition: transition({ stage: 3 }) });
    expect(
      stagesOf(shown).map(({ stage, note, isNow, members: rows }) => [
        stage,
        note,
        isNow,
        rows.map(({ name }) => name).join(),
      ]),
    ).toEqual([
      [0, 'ready', false, 'db'],
      [3, 'in progress', true, 'auth,image'],
      [4, 'waiting for its turn', false, 'web'],
    ]);
    const notes = stagesOf({ ...shown, isPaused: true }).map(({ note, isNow }) => [note, isNow]);
    expect(notes).toEqual(Array(3).fill(['', false]));
  });

  it('the page shows members in one list if all are scaled together', () => {
    const rows = stagesOf(detail([member('b'), member('a')]));
    expect(rows.map(({ stage, members }) => [stage, members.map(({ name }) => name)])).toEqual([
      [undefined, ['b', 'a']],
    ]);
  });

  const only = (it: GroupMember, rest: Partial<GroupDetail> = {}) => {
    const [row] = stagesOf(detail([it], rest))[0]?.members ?? [];
    if (row === undefined) throw new Error('there is no row');
    return row;
  };

  it.each<[string, string, Partial<GroupMember>]>([
    ['3 of 3 ready', '', {}],
    ['1 of 3 ready', '', { ready: 1, state: 'Scaling', message: '1 of 3 are ready' }],
    [
      '1 of 3 ready',
      '1 of 3 are ready (ImagePullBackOff)',
      { ready: 1, state: 'Scaling', message: '1 of 3 are ready (ImagePullBackOff)' },
    ],
    [
      '5 ready, 3 wanted',
      'has 5 pods, wants 3',
      { ready: 5, state: 'Scaling', message: 'has 5 pods, wants 3' },
    ],
    [
      '3 wanted',
      'not found',
      { replicas: undefined, ready: undefined, state: 'Missing', message: 'not found' },
    ],
    ['3 ready', '', { desired: undefined }],
    ['', '', { desired: undefined, replicas: undefined, ready: undefined, state: 'Missing' }],
  ])('the page shows a member as "%s" with the message "%s"', (count, message, rest) =>
    expect(only(member('a', rest))).toMatchObject({ count, message }),
  );

  it.each<[string, Partial<GroupMember>, Partial<GroupDetail>]>([
    ['good', {}, {}],
    ['busy', { state: 'Scaling' }, {}],
    ['away', { state: 'Waiting' }, {}],
    ['busy', { state: 'Unready' }, {}],
    ['bad', { state: 'Unready' }, { isStalled: true }],
    ['bad', { state: 'Unready' }, { reason: 'BackingOff' }],
    ['bad', { state: 'Missing' }, {}],
    ['bad', { state: 'Conflicted' }, {}],
    ['bad', { state: 'Refused' }, {}],
  ])('the page shows a member as %s when %j in %j', (tone, it, rest) =>
    expect(only(member('a', it), rest).tone).toBe(tone),
  );

  it('the bar of a member has a block for each replica, on the same scale for all members', () => {
    const rows = stagesOf(
      detail([
        member('large', { desired: 4, replicas: 4, ready: 2, state: 'Scaling' }),
        member('stuck', { desired: 2, replicas: 2, ready: 1, state: 'Refused' }),
        member('small', { desired: 1, replicas: 1, ready: 2, state: 'Scaling' }),
      ]),
    );
    expect(
      rows[0]?.members.map(({ segments }) => segments.map(({ state, part }) => `${state} ${part}`)),
    ).toEqual([
      ['ready 0.25', 'ready 0.25', 'waiting 0.25', 'waiting 0.25'],
      ['ready 0.25', 'stuck 0.25'],
      ['ready 0.25', 'leaving 0.25'],
    ]);
  });

  it('the bar of a member with many replicas has at most three parts', () => {
    const rows = stagesOf(
      detail([
        member('a', { desired: 60, replicas: 60, ready: 15, state: 'Scaling' }),
        member('b', { desired: 30, replicas: 30, ready: 45, state: 'Scaling' }),
        member('c', { desired: 0, replicas: 0, ready: 0 }),
      ]),
    );
    expect(rows[0]?.members.map(({ segments }) => segments)).toEqual([
      [
        { state: 'ready', part: 0.25 },
        { state: 'waiting', part: 0.75 },
      ],
      [
        { state: 'ready', part: 0.5 },
        { state: 'leaving', part: 0.25 },
      ],
      [],
    ]);
  });

  it('the page shows how long a member took, if known', () => {
    const times = {
      members: [
        { kind: 'Deployment', name: 'a', patchMilliseconds: 300, readyMilliseconds: 4_200 },
        { kind: 'Deployment', name: 'b', patchMilliseconds: 300 },
      ],
    };
    const of = { transition: transition({ times }) };
    expect(only(member('a'), of).took).toBe('ready in 4.2 s');
    expect(only(member('a', { state: 'Unready' }), of).took).toBe('');
    expect(only(member('b', { state: 'Scaling' }), of).took).toBe('scaled in 0.3 s');
    expect(only(member('c'), of).took).toBe('');
  });

  it('the progress of a group counts replicas that are ready, and surplus replicas that are gone', () => {
    const grown = member('a', { desired: 4, replicas: 4, ready: 2 });
    const shrunk = member('b', { desired: 1, replicas: 1, ready: 4 });
    expect(progressOf(detail([grown, shrunk]))).toBe(3 / 8);
    expect(progressOf(detail([member('a')]))).toBe(1);
    expect(progressOf(detail([]))).toBe(0);
  });
});

describe('a transition', () => {
  it.each<[Partial<Transition>, string, string, string]>([
    [{}, 'Current transition', 'Scaling', 'for 12 s · size changed'],
    [
      { stage: 2, times: { patchMilliseconds: 300 } },
      'Current transition',
      'Scaling',
      'for 12 s · stage 2 · all members scaled in 0.3 s · size changed',
    ],
    [
      { state: 'RollingBack', message: 'web is not ready' },
      'Current transition',
      'Rolling back',
      'back to size 1 · for 12 s · size changed',
    ],
    [
      {
        state: 'Completed',
        finishTime: '2026-01-01T00:09:55Z',
        times: { totalMilliseconds: 7_040 },
      },
      'Last transition',
      'Completed',
      'took 7.0 s · 5 s ago · size changed',
    ],
    [
      { state: 'TimedOut', finishTime: '2026-01-01T00:09:55Z', times: { totalMilliseconds: 1 } },
      'Last transition',
      'Timed out',
      '5 s ago · size changed',
    ],
    [{ state: 'Superseded' }, 'Last transition', 'Superseded', '12 s ago · size changed'],
  ])('the page describes the transition %j as "%s"', (rest, title, word, facts) =>
    expect(transitionText({ transition: transition(rest), isPaused: false }, now)).toMatchObject({
      ...{ title, word, facts },
      sizes: '1 → 3',
      message: rest.message ?? '',
    }),
  );

  it('the page shows that a transition is paused', () => {
    const of = (state: Transition['state']) =>
      transitionText({ transition: transition({ state }), isPaused: true }, now)?.word;
    expect([of('Scaling'), of('Completed')]).toEqual(['Paused', 'Completed']);
  });

  it('the page shows no transition before the first', () =>
    expect(transitionText({ isPaused: false }, now)).toBeUndefined());
});

describe('the last transitions', () => {
  const ended = (rest: Partial<EndedTransition> = {}): EndedTransition => ({
    from: 1,
    to: 3,
    outcome: 'Completed',
    reason: 'SizeChanged',
    requestTime: '2026-01-01T00:09:00Z',
    ...rest,
  });

  it('the page lists past transitions with outcome, time and the slowest member', () => {
    const rows = endedRows(
      [
        ended({ totalMilliseconds: 5_000, slowest: 'Deployment/web' }),
        ended({ totalMilliseconds: 20_000, slowest: 'Deployment/db' }),
        ended({ outcome: 'TimedOut', reason: 'GroupEdited' }),
        ended({ totalMilliseconds: 0 }),
        ended(),
      ],
      now,
    );
    expect(
      rows.map(({ outcome, took, share, slowest }) => [outcome, took, share, slowest]),
    ).toEqual([
      ['Completed', '5.0 s', 0.25, 'slowest: Deployment/web'],
      ['Completed', '20 s', 1, 'slowest: Deployment/db'],
      ['Timed out', '', undefined, ''],
      ['Completed', '< 0.1 s', 0.02, ''],
      ['Completed', 'not measured', undefined, ''],
    ]);
    expect(rows[2]).toMatchObject({
      tone: 'bad',
      sizes: '1 → 3',
      when: 'group edited · 1 min ago',
    });
  });

  it('the rows of past transitions keep their keys when another follows in the same second', () => {
    const before = [ended({ to: 4 }), ended()];
    const keysOf = (history: readonly EndedTransition[]) =>
      endedRows(history, now).map(({ key }) => key);
    expect(keysOf([ended({ to: 5 }), ...before]).slice(1)).toEqual(keysOf(before));
    expect(new Set(keysOf(before)).size).toBe(2);
  });

  it.each<[string, GroupDetail['times']]>([
    ['', undefined],
    ['', { count: 0 }],
    ['', { count: 1, p50Milliseconds: 900, maxMilliseconds: 900 }],
    [
      'median of 7: 12 s, longest: 1 min 30 s',
      { count: 7, p50Milliseconds: 12_300, maxMilliseconds: 90_000 },
    ],
  ])('the page writes "%s" for the times %j', (text, times) => expect(timesText(times)).toBe(text));
});
