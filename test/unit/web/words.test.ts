// Are numbers, times and names written as a person would write them?
import { describe, expect, it } from '@jest/globals';
import {
  agoText,
  byName,
  commonStart,
  counted,
  cutParts,
  durationText,
  measuredText,
  reasonText,
} from '../../../src/web/model/words.ts';

it.each([
  [0.4, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [3_599, '59 min'],
  [7_200, '2 h'],
  [172_800, '2 d'],
  [-5, '0 s'],
])('the page writes %s seconds as "%s"', (seconds, text) =>
  expect(durationText(seconds)).toBe(text),
);

it.each([
  [0, '< 0.1 s'],
  [49, '< 0.1 s'],
  [51, '0.1 s'],
  [9_949, '9.9 s'],
  [9_951, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('the page writes %s measured milliseconds as "%s"', (milliseconds, text) =>
  expect(measuredText(milliseconds)).toBe(text),
);

it('the page shows how long ago a change was, even if its clock is behind', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  expect(agoText('2026-01-01T00:00:00Z', now)).toBe('1 min ago');
  expect(agoText('2026-01-01T00:02:00Z', now)).toBe('just now');
});

it.each([
  ['WorkersChanged', 'workers changed'],
  ['InsufficientCapacity', 'insufficient capacity'],
  ['', ''],
])('the page writes the reason %s as "%s"', (reason, text) =>
  expect(reasonText(reason)).toBe(text),
);

it('the page counts in singular and plural, with separators of thousands', () => {
  expect([counted(1, 'stream'), counted(0, 'stream'), counted(10_000, 'stream')]).toEqual([
    '1 stream',
    '0 streams',
    '10,000 streams',
  ]);
});

describe('what all names begin with', () => {
  it.each([
    [['feed:nyse', 'feed:nasdaq'], 'feed:'],
    [['worker-1', 'worker-10'], 'worker-'],
    [['a:b:c', 'a:b:d'], 'a:b:'],
    [['news', 'nets'], ''],
    [['only:one'], ''],
    [[], ''],
    [['same:x', 'same:x'], 'same:'],
  ])('the common start of the names %j is "%s"', (names, start) =>
    expect(commonStart(names)).toBe(start),
  );
});

it('the page sorts numbers in names as numbers', () => {
  expect(['w-10', 'w-2', 'w-1'].sort(byName)).toEqual(['w-1', 'w-2', 'w-10']);
});

it.each([
  ['cnbc', 'cnbc', ''],
  ['worker-0', 'worker-0', ''],
  ['swarm-worker-2', 'swarm-w', 'orker-2'],
  ['stream:europe:orders@2026-01-31', 'stream:europe:orders@20', '26-01-31'],
  ['日本語チャンネル放送局一', '日本語チャン', 'ネル放送局一'],
])('the name %s is cut after "%s", and keeps its end', (name, start, end) =>
  expect(cutParts(name)).toEqual([start, end]),
);
