// What does the operator know about the value of a metric? A plain value, so that a decision on it
// can be replayed.

/** Why there is no value. */
export type MetricTrouble =
  /** The source is not configured, or not for this namespace. */
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
  /** One line that stays the same during the trouble. Contains neither address nor credentials. */
  readonly detail: string;
};

type MetricSample = {
  readonly state: 'sampled';
  readonly value: number;
  /** The time since the source computed the value. */
  readonly ageMs: number;
};

/** The result of one request. */
export type MetricAnswer = MetricSample | MetricFailure;

/** Pending: there is no result yet. */
export type MetricReading = { readonly state: 'pending' } | MetricAnswer;
