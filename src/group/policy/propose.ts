// Which size does the policy propose now, why, and when may that change by time alone?

import { inForce } from './bounds.ts';
import { byMetric } from './prometheus.ts';
import type { PolicyFacts, Proposal } from './proposal.ts';

/** Undefined: there is none yet, such as while spec.replicas is left out and not taken over. */
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

/** Each size stays for a period, from when this leader has first seen its number. */
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

/** Without the time: a schedule that is due every minute would be a write every minute. */
function scheduled({ spec: { policy }, timetable }: PolicyFacts): Proposal | undefined {
  const { name, schedule, timeZone, replicas } =
    inForce(policy.schedules ?? [], timetable)?.schedule ?? {};
  if (replicas === undefined) return undefined;
  const message = `schedule ${name} (${schedule}, ${timeZone}) was due last`;
  return { replicas, reason: 'Scheduled', message };
}

/**
 * Both bounds included; each size is as likely as any other. It follows from the seed and the
 * number alone, so that an operator that restarts goes on where it was.
 */
export function drawnSize(seed: number, number: number, least: number, most: number): number {
  const part = mixed(mixed(seed >>> 0) ^ mixed(number >>> 0)) / 2 ** 32;
  return least + Math.floor(part * (most - least + 1));
}

/** Scatters the bits of a 32-bit number over all others (murmur3's last step, twice). */
function mixed(value: number): number {
  let bits = (value + 0x9e3779b9) >>> 0;
  for (let round = 0; round < 2; round += 1) {
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    bits = (bits ^ (bits >>> 16)) >>> 0;
  }
  return bits;
}
