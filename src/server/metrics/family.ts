// What is a metric, before it is one of prom-client's?
export type Family = {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
};

type Labels = readonly string[];

export const gauge = (name: string, help: string, labels: Labels = []): Family => ({
  type: 'gauge',
  name,
  help,
  labels,
});

export const counter = (name: string, help: string, labels: Labels = []): Family => ({
  ...gauge(name, help, labels),
  type: 'counter',
});

export const histogram = (
  name: string,
  help: string,
  buckets: readonly number[],
  labels: Labels = [],
): Family => ({ ...gauge(name, help, labels), type: 'histogram', buckets });
