// Which size does the policy propose now, why, and when may time alone change it?

import { inForce } from './bounds.ts';
import { byMetric } from './prometheus.ts';
import type { PolicyFacts, Proposal } from './proposal.ts';

/**
 * Undefined: there is none yet, for example while spec.replicas is omitted and not set from the
 * members.
 */
export function proposalOf(facts: PolicyFacts): Proposal | undefined {
  const { type } = facts.spec.policy;
  switch (type) {
    case 'Manual':
      return manual(facts);
    case 'Random':
      return random(facts);
    case 'Schedule':
      return scheduled(facts);
    case 'Prometheus':
      return byMetric(facts);
    default:
      return type satisfies never;
  }
}

const manual = ({ spec: { replicas } }: PolicyFacts): Proposal | undefined =>
  replicas === undefined
    ? undefined
    : { replicas, reason: 'Manual', message: `spec.replicas is ${replicas}` };

/** Each size lasts for a period, from the moment when this leader first saw its number. */
function random({ world: { group, ages }, spec: { policy }, bounds }: PolicyFacts): Proposal {
  const { periodSeconds, random: { seed } = { seed: 0 } } = policy;
  const periodMs = periodSeconds * 1000;
  const last = group.status?.drawn;
  const isSameWalk = last?.seed === seed;
  const leftMs = isSameWalk ? periodMs - ages.drawnMs : 0;
  const number = !isSameWalk ? 0 : leftMs > 0 ? last.number : last.number + 1;
  const { least, most } = bounds;
  return {
    replicas: drawnSize(seed, number, least.value, most.value),
    reason: 'Drawn',
    message: `random number ${number} of seed ${seed}, from ${least.value} to ${most.value}`,
    drawn: { seed, number },
    nextInMs: leftMs > 0 ? leftMs : periodMs,
  };
}

/** Without the time: a schedule that is due every minute would cause a write every minute. */
function scheduled({ spec: { policy }, timetable }: PolicyFacts): Proposal | undefined {
  const { name, schedule, timeZone, replicas } =
    inForce(policy.schedules ?? [], timetable)?.schedule ?? {};
  if (replicas === undefined) return undefined;
  const message = `schedule ${name} (${schedule}, ${timeZone}) was due last`;
  return { replicas, reason: 'Scheduled', message };
}

/**
 * Each size within the bounds, including both, is equally likely. It depends only on the seed and
 * the number, so that a restarted operator continues with the same sequence.
 */
export function drawnSize(seed: number, number: number, least: number, most: number): number {
  const part = mixed(mixed(seed >>> 0) ^ mixed(number >>> 0)) / 2 ** 32;
  return least + Math.floor(part * (most - least + 1));
}

/** Distributes the bits of a 32-bit number over all others (murmur3's last step, twice). */
function mixed(value: number): number {
  let bits = (value + 0x9e3779b9) >>> 0;
  for (let round = 0; round < 2; round += 1) {
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    bits = (bits ^ (bits >>> 16)) >>> 0;
  }
  return bits;
}
