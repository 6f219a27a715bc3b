// Does the page say of a group what the operator answered?
import { describe, expect, it } from '@jest/globals';
import type { Group } from '../../../src/api/introspection/groups.ts';
import { groupCard } from '../../../src/web/model/cards.ts';
import {
  groupStandingOf,
  notesOf,
  sizeText,
  withGroupNews,
} from '../../../src/web/model/groups.ts';
import { withObstacle } from '../../../src/web/model/standing.ts';
import { detail, group } from './group-answers.ts';

describe('the standing of a group', () => {
  const unready = { isReady: false, readyMembers: 4, message: 'a sentence' };

  it.each<[string, string, Partial<Group>]>([
    ['Ready', '', {}],
    ['Scaling', '4 of 7 members ready', { ...unready, state: 'Scaling', reason: 'Working' }],
    [
      'Rolling back',
      'rolling back: 4 of 7 members ready',
      { ...unready, state: 'RollingBack', reason: 'Working' },
    ],
    [
      'Timed out',
      'a sentence',
      { ...unready, isStalled: true, state: 'TimedOut', reason: 'TransitionTimedOut' },
    ],
    ['Stalled', 'a sentence', { ...unready, isStalled: true, reason: 'InvalidSpec' }],
    ['Stalled', 'a sentence', { ...unready, isStalled: true, isPaused: true }],
    ['Paused', 'a sentence', { ...unready, isPaused: true, state: 'Scaling', reason: 'Paused' }],
    ['Backing off', 'a sentence', { ...unready, state: 'RolledBack', reason: 'BackingOff' }],
    ['Refused', 'a sentence', { ...unready, state: 'Scaling', reason: 'WriteRefused' }],
    ['Member missing', 'a sentence', { ...unready, reason: 'MemberMissing' }],
    ['No metric', 'a sentence', { ...unready, state: undefined, reason: 'MetricMissing' }],
    ['No members', 'a sentence', { ...unready, state: undefined, reason: 'NoMembers' }],
    ['Not ready', 'a sentence', { ...unready, reason: 'MembersUnready' }],
  ])('the page calls a group %s: "%s"', (word, why, rest) =>
    expect(groupStandingOf(group(rest))).toMatchObject({ word, why }),
  );

  it('the page explains the standing of a blocked group by its obstacle', () => {
    const it = groupStandingOf(group(unready));
    expect(withObstacle(it, { reason: 'Forbidden', message: 'no' }).why).toBe('Forbidden: no');
    expect(withObstacle(it, undefined)).toEqual(it);
  });
});

describe('the notes on a group', () => {
  const condition = (type: string, status: 'True' | 'False', reason: string) => ({
    ...{ type, status, reason },
    message: `of ${type}`,
    lastTransitionTime: '',
  });
  const proposal = { replicas: 5, reason: 'MetricAsks', message: 'the metric asks for 5' };

  it('the page shows the proposal of the policy of a group', () => {
    expect(notesOf(detail([], { proposal }))).toEqual([]);
    expect(notesOf(detail([], { proposal, policy: 'Prometheus' }))).toEqual([
      'Prometheus: the metric asks for 5',
    ]);
    expect(notesOf(detail([], { policy: 'Random' }))).toEqual([]);
  });

  it('the page notes a lost metric, a conflict and a bound, unless the head names it', () => {
    const conditions = [
      condition('Ready', 'False', 'MembersUnready'),
      condition('MetricsAvailable', 'False', 'MetricStale'),
      condition('Conflicted', 'True', 'AutoscalerConflict'),
      condition('Limited', 'True', 'AtMaximum'),
    ];
    const message = 'of Conflicted';
    expect(notesOf(detail([], { conditions, message }))).toEqual([
      'metric stale: of MetricsAvailable',
      'at maximum: of Limited',
    ]);
    const well = [
      condition('MetricsAvailable', 'True', 'MetricFresh'),
      condition('Conflicted', 'False', 'NoConflict'),
      condition('Limited', 'False', 'WithinBounds'),
    ];
    expect(notesOf(detail([], { conditions: well }))).toEqual([]);
  });
});

describe('a card of a group', () => {
  it('the card of a group has its size, its members, their replicas and its policy', () => {
    const scaling = group({ desiredSize: 1_000, readyMembers: 2, readyReplicas: 12 });
    expect(groupCard(scaling)).toMatchObject({
      subtitle: '7 members, Staged',
      done: 2 / 7,
      facts: { size: '3 → 1,000', members: '2 of 7', replicas: '12 of 19', policy: 'Manual' },
    });
  });

  it.each<[string, number | undefined, number | undefined]>([
    ['3', 3, 3],
    ['1 → 3', 1, 3],
    ['3', 3, undefined],
    ['3', undefined, 3],
    ['unknown', undefined, undefined],
  ])('the page writes the size %s where it is %s and %s is wanted', (text, size, desiredSize) =>
    expect(sizeText({ size, desiredSize })).toBe(text),
  );
});

it('the page adds changed groups, sorted by name', () => {
  const known = withGroupNews(new Map(), {
    type: 'groups',
    groups: [group({ name: 'g-10' }), group({ name: 'g-2' })],
  });
  expect([...known.keys()]).toEqual(['teastore/g-2', 'teastore/g-10']);
  const changed = withGroupNews(known, { type: 'group', group: group({ name: 'g-2', size: 9 }) });
  expect([changed.size, changed.get('teastore/g-2')?.size]).toEqual([2, 9]);
  const left = withGroupNews(known, { type: 'group-gone', namespace: 'teastore', name: 'g-2' });
  expect([...left.keys()]).toEqual(['teastore/g-10']);
});
