// What does a Prometheus say to an instant query? One number of a certain time, or why there is
// none. An answer that is not understood must not scale anything.
import { asList, asString, dig } from '../../api/objects.ts';
import { oneLine, parseJson } from '../../api/text.ts';
import type { MetricFailure, MetricTrouble } from '../../core/metric.ts';

type Found =
  | { readonly state: 'found'; readonly value: number; readonly timeMs: number }
  | MetricFailure;

export const metricFailure = (trouble: MetricTrouble, detail = ''): MetricFailure => ({
  state: 'failed',
  trouble,
  detail: oneLine(detail, LONGEST_DETAIL),
});

const LONGEST_DETAIL = 200;

export function answerIn(status: number, body: string): Found {
  if (status >= 300 && status < 400) return metricFailure('redirected', String(status));
  if (status === 401 || status === 403) return metricFailure('denied', String(status));
  const answer = parseJson(body);
  if (dig(answer, 'status') === 'error') return errorIn(answer);
  if (status !== 200) return metricFailure('source-failed', `answers ${status}`);
  if (dig(answer, 'status') !== 'success') return metricFailure('not-understood');
  const data = dig(answer, 'data');
  switch (dig(data, 'resultType')) {
    case 'scalar':
      return sampleIn(dig(data, 'result'));
    case 'vector':
      return onlyOne(asList(dig(data, 'result')));
    case 'matrix':
    case 'string':
      return metricFailure('not-a-number', asString(dig(data, 'resultType')));
    default:
      return metricFailure('not-understood');
  }
}

/**
 * The message about a wrong query quotes the tenant's own query. Other messages may name addresses
 * behind the source, and differ each time.
 */
function errorIn(answer: unknown): MetricFailure {
  const type = asString(dig(answer, 'errorType')) ?? '';
  if (type === 'bad_data')
    return metricFailure('wrong-query', asString(dig(answer, 'error')) ?? type);
  return metricFailure('source-failed', /^[a-z_]{1,40}$/.test(type) ? `reports ${type}` : '');
}

function onlyOne(series: readonly unknown[]): Found {
  const [first, ...others] = series;
  if (others.length > 0) return metricFailure('several-series');
  if (first === undefined) return metricFailure('empty');
  const value = dig(first, 'value');
  return value === undefined ? metricFailure('not-a-number', 'histogram') : sampleIn(value);
}

/** `Number` reads an empty text and a hexadecimal one, too. */
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function sampleIn(pair: unknown): Found {
  const [seconds, text, ...more] = asList(pair);
  if (typeof seconds !== 'number' || typeof text !== 'string' || more.length > 0)
    return metricFailure('not-understood');
  if (/^(NaN|[+-]?Inf)$/.test(text)) return metricFailure('not-a-number', text);
  const value = Number(text);
  if (!decimal.test(text) || !Number.isFinite(value)) return metricFailure('not-understood');
  // Without the parts that change from answer to answer.
  if (value < 0) return metricFailure('negative');
  // Not -0.
  return { state: 'found', value: Math.abs(value), timeMs: seconds * 1000 };
}
