// What is known of a metric that a source was asked for? A plain value, so that a decision on it
// can be replayed.

/** Why there is no value. */
export type MetricTrouble =
  /** Not configured, or not for this namespace. */
  | 'unknown-source'
  | 'too-many-queries'
  | 'unreachable'
  | 'late'
  | 'denied'
  | 'redirected'
  | 'too-long'
  | 'wrong-query'
  | 'source-failed'
  | 'not-understood'
  | 'empty'
  | 'several-series'
  | 'not-a-number'
  | 'negative';

export type MetricFailure = {
  readonly state: 'failed';
  readonly trouble: MetricTrouble;
  /** One line that is the same while the trouble is. No address and no credentials. */
  readonly detail: string;
};

type MetricSample = {
  readonly state: 'sampled';
  readonly value: number;
  /** Since the source has computed it. */
  readonly ageMs: number;
};

/** Of one request, when it is answered. */
export type MetricAnswer = MetricSample | MetricFailure;

/** Pending: not answered yet. */
export type MetricReading = { readonly state: 'pending' } | MetricAnswer;
