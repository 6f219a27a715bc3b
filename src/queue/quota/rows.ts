// What does a queue grant of each resource, and how much of that is in use, free and needed?
import type { SwarmQueue } from '../../api/validate.ts';
import { type Amounts, amountOf, sum } from '../../core/amounts.ts';
import type { DesiredQueues } from '../desired-state.ts';
import { totalOf } from './never.ts';
import { amountsIn, quantitiesOf } from './text.ts';

/** One resource of a queue. All amounts are quantities of Kubernetes. */
export type QuotaRow = {
  readonly resource: string;
  /** Undefined: the queue does not limit it. */
  readonly quota: string | undefined;
  readonly used: string;
  readonly free: string | undefined;
  /** What the job that is asked about needs. */
  readonly needed?: string;
};

/** A row for each resource that the quota names, or that is in use or needed; pods come first. */
export function quotaRows(
  desired: DesiredQueues,
  { meta, spec }: SwarmQueue,
  needed?: Amounts,
): readonly QuotaRow[] {
  const quota = spec.ok ? amountsIn(spec.value.quota) : new Map<string, bigint>();
  const used = usedBy(desired, meta.name);
  const resources = new Set([...quota.keys(), ...used.keys(), ...(needed?.keys() ?? [])]);
  return [...resources].sort(podsFirst).map((resource) => {
    const bound = quota.get(resource);
    const text = (amount: bigint): string =>
      quantitiesOf(new Map([[resource, amount]]))[resource] ?? '';
    const free = bound === undefined ? undefined : bound - amountOf(used, resource);
    return {
      resource,
      quota: bound === undefined ? undefined : text(bound),
      used: text(amountOf(used, resource)),
      free: free === undefined ? undefined : text(free < 0n ? 0n : free),
      ...(needed !== undefined && { needed: text(amountOf(needed, resource)) }),
    };
  });
}

const podsFirst = (a: string, b: string): number =>
  Number(b === 'pods') - Number(a === 'pods') || (a < b ? -1 : 1);

/** Leaves out the jobs that this pass admits. */
function usedBy({ usage, pass }: DesiredQueues, queue: string): Amounts {
  const next = sum(pass.admitted.filter((job) => job.queue === queue).map(totalOf));
  return new Map(
    [...(usage.get(queue) ?? new Map<string, bigint>())].map(([resource, amount]) => [
      resource,
      amount - amountOf(next, resource),
    ]),
  );
}
