// Which size does the policy propose now, why, and when may that change by time alone?
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import type { Because } from '../../core/because.ts';
import type { ProposalReason } from '../reasons.ts';
import type { GroupWorld } from '../world.ts';
import type { Bounds } from './bounds.ts';
import { drawnSize } from './random.ts';
import { inForce, type Timetable } from './schedules.ts';

export type Proposal = Because<ProposalReason> & {
  /** Before the bounds. */
  readonly replicas: number;
  /** Which size of which walk it is. */
  readonly drawn?: NonNullable<SwarmGroupStatus['drawn']>;
  readonly nextInMs?: number;
};

type Facts = {
  readonly world: GroupWorld;
  readonly spec: SwarmGroupSpec;
  readonly bounds: Bounds;
  readonly timetable: Timetable;
};

/** Undefined: spec.replicas is left out, and not taken over yet. */
export function proposalOf(facts: Facts): Proposal | undefined {
  const { type } = facts.spec.policy;
  switch (type) {
    case 'Manual':
      return manual(facts);
    case 'Random':
      return random(facts);
    case 'Schedule':
      return scheduled(facts);
    default:
      return type satisfies never;
  }
}

const manual = ({ spec: { replicas } }: Facts): Proposal | undefined =>
  replicas === undefined
    ? undefined
    : { replicas, reason: 'Manual', message: `spec.replicas is ${replicas}` };

/** Each size stays for a period, from when this leader has first seen its number. */
function random({ world: { group, ages }, spec: { policy }, bounds }: Facts): Proposal {
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
    message: `number ${number} of seed ${seed}, from ${least.value} to ${most.value}`,
    drawn: { seed, number },
    nextInMs: leftMs > 0 ? leftMs : periodMs,
  };
}

/** Without the time: what is due every minute would be a write every minute. */
function scheduled({ spec: { policy }, timetable }: Facts): Proposal | undefined {
  const { name, schedule, timeZone, replicas } =
    inForce(policy.schedules ?? [], timetable)?.schedule ?? {};
  if (replicas === undefined) return undefined;
  const message = `schedule ${name} (${schedule}, ${timeZone}) was due last`;
  return { replicas, reason: 'Scheduled', message };
}
