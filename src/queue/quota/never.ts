// Can this job never start, even if all other jobs end?

import { type Amounts, amountOf, beyond, times } from '../../core/amounts.ts';
import { ONE } from '../../core/quantity.ts';
import type { Reason } from '../../core/reason.ts';
import { listed } from '../../core/text.ts';
import type { NeverReason } from '../reasons.ts';
import type { Queue, ResourceQuota, WaitingJob } from '../world.ts';
import { amountsText } from './text.ts';

/**
 * A quota that omits one of these resources does not limit it. Any other resource that it omits is
 * not offered.
 */
const UNBOUNDED: ReadonlySet<string> = new Set(['pods', 'cpu', 'memory', 'ephemeral-storage']);
/** A quota that names one of these resources requires each pod to request some of it. */
const REQUIRED = ['cpu', 'memory', 'ephemeral-storage'] as const;

/** The most containers that a message names. */
const MOST_NAMED = 3;

/** Ignores ResourceQuotas, which change more often than jobs and queues. */
export const whyNeverIn = (job: WaitingJob, queue: Queue): Reason<NeverReason> | undefined =>
  unreadable(job) ??
  badPriority(job) ??
  priorityTooHigh(job, queue) ??
  deadlineTooLong(job, queue) ??
  badSignal(job) ??
  requestMissing(job, queue) ??
  missingForResourceQuota(job) ??
  notOffered(job, queue) ??
  largerThanQuota(job, queue) ??
  largerThanForUser(job, queue);

const unreadable = ({ tooLarge }: WaitingJob) =>
  tooLarge === undefined ? undefined : because('TooLargeEver', tooLarge);

const badPriority = ({ badPriority: problem }: WaitingJob) =>
  problem === undefined ? undefined : because('InvalidPriority', problem);

const priorityTooHigh = ({ priority }: WaitingJob, { name, maxPriority }: Queue) =>
  priority > maxPriority
    ? because(
        'PriorityTooHigh',
        `priority is ${priority}, SwarmQueue ${name} allows at most ${maxPriority}`,
      )
    : undefined;

function deadlineTooLong({ deadlineSeconds }: WaitingJob, { name, maxDeadlineSeconds }: Queue) {
  if (maxDeadlineSeconds === undefined || (deadlineSeconds ?? Infinity) <= maxDeadlineSeconds)
    return undefined;
  const has =
    deadlineSeconds === undefined
      ? 'activeDeadlineSeconds is missing'
      : `activeDeadlineSeconds is ${deadlineSeconds}`;
  const allowed = `SwarmQueue ${name} allows at most ${maxDeadlineSeconds}`;
  return because('DeadlineTooLong', `${has}, ${allowed}`);
}

const badSignal = ({ badSignal: problem }: WaitingJob) =>
  problem === undefined ? undefined : because('InvalidDeadlineSignal', problem);

function missingForResourceQuota({ missing: [first] }: WaitingJob) {
  if (first === undefined) return undefined;
  const { quota, field, containers } = first;
  const [are, have] = containers.length === 1 ? ['container', 'has'] : ['containers', 'have'];
  return because(
    'RequestMissing',
    `${are} ${listed(containers, MOST_NAMED)} ${have} no ${field}, which ResourceQuota ${quota} bounds`,
  );
}

function requestMissing({ perPod }: WaitingJob, { name, quota }: Queue) {
  const missing = REQUIRED.filter((resource) => quota.has(resource) && !perPod.has(resource));
  return missing.length === 0
    ? undefined
    : because(
        'RequestMissing',
        `resources.requests has no ${missing.join(' and no ')}, which SwarmQueue ${name} bounds`,
      );
}

function notOffered({ perPod, claims }: WaitingJob, { name, quota }: Queue) {
  if (claims.length > 0)
    return because(
      'ResourceNotOffered',
      `resourceClaims has ${listed(claims, MOST_NAMED)}: SwarmQueue ${name} cannot count devices that are claimed`,
    );
  const missing = [...perPod.keys()].filter(
    (it) => !UNBOUNDED.has(it) && !quota.has(it) && amountOf(perPod, it) > 0n,
  );
  return missing.length === 0
    ? undefined
    : because(
        'ResourceNotOffered',
        `requests ${listed(missing)}, which the quota of SwarmQueue ${name} does not name`,
      );
}

function largerThanForUser(job: WaitingJob, { name, maxPerUser = new Map() }: Queue) {
  const requests = totalOf(job);
  const exceeded = beyond(requests, maxPerUser);
  if (exceeded.size === 0) return undefined;
  const needs = amountsText(requests, [...exceeded.keys()]);
  const has = amountsText(maxPerUser, [...exceeded.keys()]);
  return because('TooLargeEver', `needs ${needs}, SwarmQueue ${name} allows a user ${has}`);
}

function largerThanQuota(job: WaitingJob, { name, quota }: Queue) {
  const requests = totalOf(job);
  const exceeded = beyond(requests, quota);
  if (exceeded.size === 0) return undefined;
  const needs = amountsText(requests, [...exceeded.keys()]);
  const has = amountsText(quota, [...exceeded.keys()]);
  return because('TooLargeEver', `needs ${needs}, the whole quota of SwarmQueue ${name} is ${has}`);
}

export function largerThanResourceQuota(
  { charges }: WaitingJob,
  resourceQuotas: readonly ResourceQuota[],
) {
  for (const { name, hard } of resourceQuotas) {
    const needed = charges.get(name) ?? new Map();
    const exceeded = beyond(needed, hard);
    if (exceeded.size === 0) continue;
    const needs = amountsText(needed, [...exceeded.keys()]);
    const has = amountsText(hard, [...exceeded.keys()]);
    return because('TooLargeEver', `needs ${needs}, all of ResourceQuota ${name} is ${has}`);
  }
  return undefined;
}

const because = (reason: NeverReason, message: string): Reason<NeverReason> => ({
  reason,
  message,
});

/** The requests of all pods of the job together. */
export const totalOf = ({ perPod, size }: Pick<WaitingJob, 'perPod' | 'size'>): Amounts =>
  times(new Map([['pods', ONE], ...perPod]), size);
