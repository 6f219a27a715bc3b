import { describe, expect, it } from '@jest/globals';
import { errorCode, errorText } from '../../../src/api/text.ts';

describe('an error of unknown origin', () => {
  it.each([
    ['an error', new TypeError(' no such thing\n'), 'no such thing'],
    ['an error without a message', new AggregateError([new Error('a')]), 'AggregateError'],
    ['an error of another realm', { message: 'from there' }, 'from there'],
    ['a text', 'as it is', 'as it is'],
    ['nothing', undefined, 'undefined'],
    ['an object without a text', Object.create(null), 'an error without a message'],
  ])('errorText gives a text for %s', (_, error, text) => expect(errorText(error)).toBe(text));

  it('errorCode gives the code of a failed system call, and nothing for other errors', () => {
    expect(errorCode(Object.assign(new Error(''), { code: 'ENOENT' }))).toBe('ENOENT');
    expect(errorCode(new Error('ENOENT'))).toBeUndefined();
  });
});
