// Which changes did a watch miss, and which may it still report?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { isFoundTwice, missedIn } from '../../../../src/runtime/watch/known-objects.ts';

const SEEN = '20';
const listed = (versions: Readonly<Record<string, string>>) => ({
  resourceVersion: '30',
  items: Object.entries(versions).map(
    ([name, resourceVersion]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, resourceVersion },
    }),
  ),
});
const known = (versions: Readonly<Record<string, string>>) =>
  new Map(
    Object.entries(versions).map(([name, resourceVersion]) => [
      name,
      { uid: 'u', resourceVersion },
    ]),
  );

it.each([
  ['nothing when all changes are known', { a: '5' }, { a: '5' }, {}],
  ['a creation', { a: '5' }, {}, { a: '5' }],
  ['a change', { a: '9' }, { a: '5' }, { a: '9' }],
  ['a deletion', {}, { a: '5' }, { a: '' }],
  ['no change that the watch has not reached', { a: '21' }, { a: '5' }, {}],
  ['no creation that the watch has not reached', { a: '21' }, {}, {}],
  ['no own write that is newer than the list', {}, { a: '31' }, {}],
  ['no change that the watch has reached since', { a: '5' }, { a: '9' }, {}],
])('a list shows that the watch missed %s', (_, list, before, missed) => {
  expect(Object.fromEntries(missedIn(listed(list), known(before), SEEN))).toEqual(missed);
});

it('a difference that is found twice in the same way was missed', () => {
  const first = new Map([
    ['a', ''],
    ['b', '5'],
  ]);
  expect(
    isFoundTwice(
      first,
      new Map([
        ['c', ''],
        ['b', '6'],
      ]),
    ),
  ).toBe(false);
  expect(
    isFoundTwice(
      first,
      new Map([
        ['c', ''],
        ['a', ''],
      ]),
    ),
  ).toBe(true);
});
