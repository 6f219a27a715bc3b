import { describe, expect, it } from '@jest/globals';
import { digestOf, type Slice, writeAssigned } from '../../../src/api/assignment.ts';
import { isPermitted, withoutNew } from '../../../src/worker/file/fence.ts';

const slice: Slice = { jobs: ['a', 'b'], version: 7 };
const told = { version: 7, uid: 'me', digest: digestOf(slice), attempt: 1 };

describe('a slice', () => {
  it.each([
    ['permitted', writeAssigned(told), true],
    ['permitted once more', writeAssigned({ ...told, attempt: 5 }), true],
    ['with an end of line behind it', `${writeAssigned(told)}\n`, true],
    ['of another version', writeAssigned({ ...told, version: 8 }), false],
    ['of another pod', writeAssigned({ ...told, uid: 'the one before me' }), false],
    [
      'of other streams',
      writeAssigned({ ...told, digest: digestOf({ ...slice, jobs: ['a'] }) }),
      false,
    ],
    ['without an annotation', undefined, false],
    ['with an empty annotation', '', false],
  ])(
    'whether a worker follows a slice depends on the annotation of its pod: a slice %s: %#',
    (_, annotation, want) => {
      expect(isPermitted(slice, annotation, 'me')).toBe(want);
    },
  );

  it('a worker with a slice that its annotation does not confirm stops streams, and starts none', () => {
    expect(withoutNew(slice, new Set(['b', 'c'])).jobs).toEqual(['b']);
  });
});
