// What does the note of the last change on a ConfigMap say, and how often is it read?
import { expect, it } from '@jest/globals';
import { ANNOTATION_CHANGE, changeOf } from '../../../../src/pool/publish/config-map.ts';

const change = { version: 3, moves: 1, reason: 'SpecChanged', time: '2026-01-01T00:00:00Z' };

it('a note is read once, however often the writes of a hundred ConfigMaps ask for it', () => {
  let reads = 0;
  const annotations = {
    get [ANNOTATION_CHANGE]() {
      reads += 1;
      return JSON.stringify(change);
    },
  };
  for (let write = 0; write < 100; write += 1)
    expect(changeOf({ annotations })).toEqual({ ...change, earlier: [] });
  expect(reads).toBe(1);
});

it('a note that cannot be read is none', () =>
  expect(changeOf({ annotations: { [ANNOTATION_CHANGE]: '{' } })).toBeUndefined());
