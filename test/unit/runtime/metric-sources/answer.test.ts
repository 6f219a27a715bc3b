// Is an answer of a Prometheus read as one number, or refused with the reason? In doubt refused.
import { describe, expect, it } from '@jest/globals';
import { answerIn } from '../../../../src/runtime/metric-sources/answer.ts';

const success = (data: unknown): string => JSON.stringify({ status: 'success', data });
const vector = (...result: readonly unknown[]): string => success({ resultType: 'vector', result });
const one = (value: unknown): string => vector({ metric: {}, value: [1_767_225_600.781, value] });
const failed = (errorType: string, error = 'why'): string =>
  JSON.stringify({ status: 'error', errorType, error });

describe('a number', () => {
  it.each([
    ['180', 180],
    ['0', 0],
    ['-0', 0],
    ['0.1', 0.1],
    ['1e+06', 1_000_000],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
  ])('a number is read from the only series: %s', (text, value) => {
    const answer = answerIn(200, one(text));
    expect(answer).toEqual({ state: 'found', value, timeMs: 1_767_225_600_781 });
    if (answer.state === 'found') expect(Object.is(answer.value, value)).toBe(true);
  });

  it('a number is read from a scalar', () => {
    const body = success({ resultType: 'scalar', result: [1_767_225_600, '3'] });
    expect(answerIn(200, body)).toMatchObject({ value: 3 });
  });
});

describe('an answer without a number', () => {
  it.each<[string, number, string, string, string]>([
    ['no series', 200, vector(), 'empty', ''],
    ['several series', 200, vector({ value: [1, '1'] }, { value: [1, '2'] }), 'several-series', ''],
    ['NaN', 200, one('NaN'), 'not-a-number', 'NaN'],
    ['infinity', 200, one('+Inf'), 'not-a-number', '+Inf'],
    ['a negative number', 200, one('-1'), 'negative', ''],
    ['a histogram', 200, vector({ metric: {}, histogram: [1, {}] }), 'not-a-number', 'histogram'],
    ['a matrix', 200, success({ resultType: 'matrix', result: [] }), 'not-a-number', 'matrix'],
    ['a text', 200, success({ resultType: 'string', result: [1, '3'] }), 'not-a-number', 'string'],
    ['an empty text', 200, one(''), 'not-understood', ''],
    ['a hexadecimal text', 200, one('0x10'), 'not-understood', ''],
    ['a number that is no text', 200, one(3), 'not-understood', ''],
    ['a number beyond the largest', 200, one('1e999'), 'not-understood', ''],
    ['no time', 200, vector({ value: ['now', '1'] }), 'not-understood', ''],
    ['nothing', 200, '', 'not-understood', ''],
    ['a page', 200, '<html>sign in</html>', 'not-understood', ''],
    ['another form', 200, '{"status":"success","data":{}}', 'not-understood', ''],
    ['an error in a 200', 200, failed('execution'), 'source-failed', 'reports execution'],
    ['a time-out', 503, failed('timeout'), 'source-failed', 'reports timeout'],
    ['a wrong query', 400, failed('bad_data', 'parse\n error'), 'wrong-query', 'parse error'],
    ['an error of no type', 500, failed('<b>'), 'source-failed', ''],
    ['another status', 502, 'Bad Gateway', 'source-failed', 'answers 502'],
    ['a number and another status than 200', 204, one('1'), 'source-failed', 'answers 204'],
    ['a redirect', 302, one('1'), 'redirected', '302'],
    ['status 401', 401, '', 'denied', '401'],
    ['status 403', 403, failed('forbidden'), 'denied', '403'],
  ])('an answer with %s is refused with the reason', (_, status, body, trouble, detail) => {
    expect(answerIn(status, body)).toEqual({ state: 'failed', trouble, detail });
  });

  it('a long error is reported in part, in one line', () => {
    const answer = answerIn(400, failed('bad_data', 'x '.repeat(10_000)));
    expect(answer).toMatchObject({ detail: expect.stringMatching(/^(x ){90,100}x?…$/) });
  });
});
