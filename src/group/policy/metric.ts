// Is there a metric that can decide the size, and if not, why? One wording for condition and event.
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { MetricReading, MetricTrouble } from '../../core/metric.ts';
import type { Reason } from '../../core/reason.ts';
import type { MetricReason } from '../reasons.ts';

type Prometheus = NonNullable<SwarmGroupSpec['policy']['prometheus']>;

export type Metric =
  | { readonly state: 'pending' }
  | { readonly state: 'fresh'; readonly value: number; readonly staleInMs: number }
  | ({ readonly state: 'missing' } & Reason<MetricReason>);

export function metricNow(
  { prometheus, periodSeconds }: SwarmGroupSpec['policy'],
  reading: MetricReading,
): Metric | undefined {
  if (prometheus === undefined) return undefined;
  switch (reading.state) {
    case 'pending':
      return reading;
    case 'failed':
      return missing(...troubles[reading.trouble](reading.detail));
    case 'sampled': {
      const seconds = staleAfter(prometheus, periodSeconds);
      const staleInMs = seconds * 1000 - reading.ageMs;
      return staleInMs > 0
        ? { state: 'fresh', value: reading.value, staleInMs }
        : missing('MetricStale', `the newest sample is older than ${seconds} s`);
    }
    default:
      return reading satisfies never;
  }
}

const staleAfter = ({ staleAfterSeconds }: Prometheus, periodSeconds: number): number =>
  staleAfterSeconds ?? 2 * periodSeconds;

const missing = (reason: MetricReason, message: string): Metric => ({
  state: 'missing',
  reason,
  message,
});

type Words = readonly [reason: MetricReason, message: string];

const inBrackets = (detail: string): string => (detail === '' ? '' : ` (${detail})`);

const troubles: Readonly<Record<MetricTrouble, (detail: string) => Words>> = {
  'unknown-source': (name) => [
    'MetricSourceUnknown',
    `this namespace has no metric source "${name}"; the administrator configures sources (--metric-sources-file)`,
  ],
  'too-many-queries': (most) => [
    'TooManyQueries',
    `the groups of this namespace use more than ${most} different queries`,
  ],
  unreachable: (code) => [
    'MetricSourceUnreachable',
    `the source cannot be reached${inBrackets(code)}`,
  ],
  late: (bound) => ['MetricSourceLate', `the source did not answer within ${bound}`],
  denied: (status) => [
    'MetricSourceDenied',
    `the source answered ${status}: the operator may not query it`,
  ],
  redirected: (status) => [
    'MetricSourceRedirects',
    `the source answered ${status}: the operator follows no redirects`,
  ],
  'too-long': (bound) => ['MetricAnswerTooLong', `the answer is longer than ${bound}`],
  'wrong-query': (words) => ['MetricQueryWrong', `policy.prometheus.query is wrong: ${words}`],
  'source-failed': (how) => [
    'MetricSourceFailed',
    `the query failed at the source${inBrackets(how)}`,
  ],
  'not-understood': () => ['MetricAnswerUnknown', 'the answer is not a Prometheus response'],
  empty: () => ['MetricEmpty', 'the query returned no series'],
  'several-series': () => [
    'MetricAmbiguous',
    'the query returned several series: reduce them to one, for example with sum()',
  ],
  'not-a-number': (what) => ['MetricNotANumber', `the value is not a number${inBrackets(what)}`],
  negative: () => ['MetricNegative', 'the value is negative'],
};
