// How much does each limit leave to the jobs of a namespace, and what does each job need of it?
import { amountOf } from '../../core/amounts.ts';
import { memoize } from '../../core/memoize.ts';
import { totalOf } from '../quota/never.ts';
import { usageOf } from '../quota/usage.ts';
import type { NamespaceWorld, WaitingJob } from '../world.ts';
import { boundOfQueue, boundOfResourceQuota, boundOfUser, LEDGER } from './bounds.ts';
import { type Demand, demandFor, FreeQuota } from './free-quota.ts';

export function freeQuotaOf(world: NamespaceWorld): FreeQuota {
  const freeQuota = new FreeQuota();
  const usage = usageOf(world);
  for (const { name, quota } of world.queues) {
    const used = usage.get(name) ?? new Map();
    for (const [resource, amount] of quota)
      freeQuota.open(boundOfQueue(name), resource, amount - amountOf(used, resource));
  }
  for (const { name, hard, used, promised, ofOthers } of world.resourceQuotas)
    for (const [resource, amount] of hard) {
      const free = amount - amountOf(used, resource) - amountOf(promised, resource);
      const most = amount - amountOf(ofOthers, resource);
      freeQuota.open(boundOfResourceQuota(name), resource, free, most);
    }
  const maxPerUser = new Map(world.queues.map((queue) => [queue.name, queue.maxPerUser]));
  for (const { queue, user, used } of world.ofUsers)
    for (const [resource, amount] of maxPerUser.get(queue) ?? [])
      freeQuota.open(boundOfUser(queue, user), resource, amount - amountOf(used, resource));
  freeQuota.open(LEDGER, 'bytes', BigInt(world.ledgerBytes));
  return freeQuota;
}

/**
 * The demands on the job's own queue come first, since messages show the first demand that is not
 * met.
 */
export const demandsOf = memoize((job: WaitingJob): readonly Demand[] =>
  [
    ...[...totalOf(job)].map(([resource, amount]) =>
      demandFor(boundOfQueue(job.queue), resource, amount),
    ),
    ...[...job.charges].flatMap(([name, charges]) =>
      [...charges].map(([resource, amount]) =>
        demandFor(boundOfResourceQuota(name), resource, amount),
      ),
    ),
    ...(job.isPerUser !== true
      ? []
      : [...totalOf(job)].map(([resource, amount]) =>
          demandFor(boundOfUser(job.queue, job.user ?? ''), resource, amount),
        )),
    demandFor(LEDGER, 'bytes', BigInt(job.entryBytes)),
  ].filter(({ amount }) => amount > 0n),
);
