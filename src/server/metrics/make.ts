// How does a family become a metric of prom-client?
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Family } from './family.ts';

const of = ({ name, help, labels }: Family) => ({ name, help, labelNames: [...labels] });

export const makeGauge = (
  family: Family,
  registry: Registry,
  collect?: () => number | undefined,
): Gauge =>
  new Gauge({
    ...of(family),
    registers: [registry],
    ...(collect !== undefined && {
      collect() {
        const value = collect();
        if (value !== undefined) this.set(value);
      },
    }),
  });

export const makeCounter = (family: Family, registry: Registry, collect?: () => void): Counter =>
  new Counter({ ...of(family), registers: [registry], ...(collect !== undefined && { collect }) });

export const makeHistogram = (family: Family, registry: Registry): Histogram =>
  new Histogram({ ...of(family), registers: [registry], buckets: [...(family.buckets ?? [])] });

export function mapFamilies<K extends string, T>(
  table: Readonly<Record<K, Family>>,
  make: (family: Family) => T,
): Record<K, T> {
  const names = Object.keys(table) as K[];
  return Object.fromEntries(names.map((name) => [name, make(table[name])])) as Record<K, T>;
}
