// What is new in a status, and when is a status written that is only progress?
import { describe, expect, it } from '@jest/globals';
import { type Condition, ConditionNews } from '../../../src/core/conditions.ts';
import type { Step } from '../../../src/core/decision.ts';
import { paceInMs, withStatus } from '../../../src/core/own-status.ts';

type Shown = readonly [Condition['status'], reason: string];

const condition = ([status, reason]: Shown): Condition => ({
  ...{ type: 'Stalled', status, reason, message: `why ${reason}` },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('a condition', () => {
  it.each<[string, Shown | undefined, Shown, readonly string[]]>([
    ['is new and True', undefined, ['True', 'A'], ['became', 'becameAnew', 'changedTo A']],
    ['is new and False', undefined, ['False', 'A'], ['changedTo A']],
    ['turns True', ['False', 'B'], ['True', 'A'], ['became', 'becameAnew', 'changedTo A']],
    ['turns True for the same reason', ['False', 'A'], ['True', 'A'], ['became', 'becameAnew']],
    ['stays True for another reason', ['True', 'B'], ['True', 'A'], ['becameAnew', 'changedTo A']],
    ['stays as it is', ['True', 'A'], ['True', 'A'], []],
    ['turns False', ['True', 'B'], ['False', 'A'], ['changedTo A']],
  ])('ConditionNews names what is new about a condition that %s', (_, before, after, wanted) => {
    const news = new ConditionNews(before && [condition(before)], [condition(after)]);
    const found = [
      news.became('Stalled') && 'became',
      news.becameAnew('Stalled') && 'becameAnew',
      news.changedTo('Stalled', 'A') && 'changedTo A',
    ];
    expect(found.filter((it) => it !== false)).toEqual(wanted);
  });

  it('an event about a condition has its message, and its reason unless another is given', () => {
    const news = new ConditionNews(undefined, [condition(['True', 'A'])]);
    const event = { type: 'Warning', action: 'Decide', reason: 'A', message: 'why A' };
    expect(news.event('Warning', 'Decide', 'Stalled')).toEqual(event);
    expect(news.event('Warning', 'Decide', 'Stalled', 'B')).toEqual({ ...event, reason: 'B' });
  });
});

describe('a status', () => {
  const kind = { group: 'g', version: 'v1', kind: 'K', plural: 'ks', namespaced: true };
  const ref = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
  const steps: readonly Step[] = [{ do: 'status', kind, ref, status: {} }];

  it.each([
    ['that is due is written', 0, { steps }],
    ['that was due is written', -5, { steps }],
    ['that is due later waits', 5, { steps: [], requeueAfterMs: 5 }],
    [
      'that is due in no time at all waits for a millisecond',
      0.1,
      { steps: [], requeueAfterMs: 1 },
    ],
    ['that no time makes due waits for a change', Infinity, { steps: [] }],
  ])('a status %s', (_, dueInMs, wanted) =>
    expect(withStatus(steps, () => dueInMs, {})).toEqual(wanted),
  );

  it('the status is written between the other steps, which do not wait for it', () => {
    const [before, after] = [[...steps], [...steps, ...steps]];
    const around = { before, after, requeueAfterMs: 9 };
    expect(withStatus(steps, () => 5, around)).toEqual({
      steps: [...before, ...after],
      requeueAfterMs: 5,
    });
    expect(withStatus(steps, () => 0, around)).toEqual({
      steps: [...before, ...steps, ...after],
      requeueAfterMs: 9,
    });
  });

  it('a status with no difference is not asked when it is due', () =>
    expect(
      withStatus(
        [],
        () => {
          throw new Error('asked');
        },
        {},
      ),
    ).toEqual({ steps: [] }));

  it('a status with progress alone waits two seconds after the last, and one with news is written at once', () => {
    type Status = { readonly size: number; readonly ready: number };
    const newsIn = (status: Status | undefined) => [status?.size];
    const before = { size: 1, ready: 0 };
    expect(paceInMs(before, { size: 1, ready: 1 }, newsIn, 500)).toBe(1_500);
    expect(paceInMs(before, { size: 2, ready: 0 }, newsIn, 500)).toBe(0);
    expect(paceInMs(undefined, before, newsIn, 500)).toBe(0);
  });
});
