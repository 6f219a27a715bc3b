// How much of each resource does a queue grant, and how much is in use, free and needed?
import type { SwarmQueue, SwarmQueueSpec } from '../../api/validate.ts';
import { type Amounts, amountOf, sum } from '../../core/amounts.ts';
import type { DesiredQueues } from '../desired-state.ts';
import type { WaitingJob } from '../world.ts';
import { totalOf } from './never.ts';
import { amountsIn, quantitiesOf } from './text.ts';

/** One resource of a queue. All amounts are Kubernetes quantities. */
export type QuotaRow = {
  readonly resource: string;
  /** Undefined: the queue does not limit it. */
  readonly quota: string | undefined;
  /** The most that the jobs of one user may use. */
  readonly perUser?: string;
  readonly used: string;
  readonly free: string | undefined;
  /** The free amount that is kept for jobs that go first. */
  readonly kept?: string;
  /** The amount that the job in question needs. */
  readonly needed?: string;
};

/**
 * A row for each resource that the quota names, or that is in use or needed; pods come first.
 * Amounts kept for the job in question, or for jobs behind it, do not count as kept.
 */
export function quotaRows(
  desired: DesiredQueues,
  { meta, spec }: SwarmQueue,
  asked?: WaitingJob,
): readonly QuotaRow[] {
  const needed = asked && totalOf(asked);
  const { quota: granted, maxPerUser } = spec.ok ? spec.value : noBounds;
  const [quota, perUser] = [amountsIn(granted), amountsIn(maxPerUser ?? {})];
  const used = usedBy(desired, meta.name);
  const { order, keepers } = desired.pass;
  const before = new Set(asked === undefined ? order : order.slice(0, order.indexOf(asked)));
  const first = keepers.filter((job) => job.queue === meta.name && before.has(job));
  const kept = sum(first.map(totalOf));
  const resources = new Set(
    [quota, perUser, used, needed].flatMap((it) => [...(it?.keys() ?? [])]),
  );
  return [...resources].sort(podsFirst).map((resource) => {
    const bound = quota.get(resource);
    const forUser = perUser.get(resource);
    const text = (amount: bigint): string =>
      quantitiesOf(new Map([[resource, amount]]))[resource] ?? '';
    const free = bound === undefined ? undefined : bound - amountOf(used, resource);
    const keeps = least(amountOf(kept, resource), free ?? 0n);
    return {
      resource,
      quota: bound === undefined ? undefined : text(bound),
      ...(forUser !== undefined && { perUser: text(forUser) }),
      used: text(amountOf(used, resource)),
      free: free === undefined ? undefined : text(free < 0n ? 0n : free),
      ...(keeps > 0n && { kept: text(keeps) }),
      ...(needed !== undefined && { needed: text(amountOf(needed, resource)) }),
    };
  });
}

const noBounds: Pick<SwarmQueueSpec, 'maxPerUser' | 'quota'> = { quota: {} };

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const podsFirst = (a: string, b: string): number =>
  Number(b === 'pods') - Number(a === 'pods') || (a < b ? -1 : 1);

/** Omits the jobs that this pass admits. */
function usedBy({ usage, pass }: DesiredQueues, queue: string): Amounts {
  const next = sum(pass.admitted.filter((job) => job.queue === queue).map(totalOf));
  return new Map(
    [...(usage.get(queue) ?? new Map<string, bigint>())].map(([resource, amount]) => [
      resource,
      amount - amountOf(next, resource),
    ]),
  );
}
