// Which size does the policy propose now, why, and when may that change by time alone?
import { byMetric } from './prometheus.ts';
import type { PolicyFacts, Proposal } from './proposal.ts';
import { drawnSize } from './random.ts';
import { inForce } from './schedules.ts';

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

/** Without the time: what is due every minute would be a write every minute. */
function scheduled({ spec: { policy }, timetable }: PolicyFacts): Proposal | undefined {
  const { name, schedule, timeZone, replicas } =
    inForce(policy.schedules ?? [], timetable)?.schedule ?? {};
  if (replicas === undefined) return undefined;
  const message = `schedule ${name} (${schedule}, ${timeZone}) was due last`;
  return { replicas, reason: 'Scheduled', message };
}
