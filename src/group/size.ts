// Which size is the group to have? What its policy proposes, within the bounds.
import type { SwarmGroupSpec } from '../api/validate.ts';
import type { Because } from '../core/because.ts';
import { type Bounds, bounded, boundsNow } from './policy/bounds.ts';
import { type Proposal, proposalOf } from './policy/proposal.ts';
import { nextDueInMs, type Timetable, timetableOf } from './policy/schedules.ts';
import type { LimitReason, RequestReason } from './reasons.ts';
import type { GroupWorld } from './world.ts';

export type GroupSize = {
  readonly wanted: number;
  readonly proposal: Proposal;
  /** The bound that held it. */
  readonly limit: Because<LimitReason> | undefined;
};

export type SizeDecision = {
  /** Undefined: spec.replicas is left out, and not taken over yet. */
  readonly size: GroupSize | undefined;
  /** Also of a size that is not the proposed one, such as one to go back to. */
  readonly bounds: Bounds;
  /** Why another size is wanted than before, and how long ago the leader saw that. */
  readonly request: { readonly reason: RequestReason; readonly sinceMs: number };
  /** For the next world. */
  readonly timetable: Timetable;
  /** When time alone may change the size. */
  readonly sizeNextInMs: number | undefined;
};

export function decideSize(world: GroupWorld, spec: SwarmGroupSpec, now: number): SizeDecision {
  const { schedules = [], periodSeconds } = spec.policy;
  const timetable = timetableOf(schedules, world.remembered.timetable, now);
  const bounds = boundsNow(spec, timetable);
  const proposal = proposalOf({ world, spec, bounds, timetable });
  // Looked at once in a period at least: the wall clock may be set meanwhile.
  const dueInMs = schedules.length === 0 ? [] : [nextDueInMs(timetable, now), periodSeconds * 1000];
  const waits = [...dueInMs, proposal?.nextInMs].filter((ms) => ms !== undefined);
  return {
    size: proposal && { proposal, ...bounded(bounds, proposal.replicas) },
    bounds,
    request: requestOf(world, proposal, bounds, now),
    timetable,
    sizeNextInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** What the operator decides itself it sees in the moment that it decides. */
function requestOf(
  { ages }: GroupWorld,
  { reason }: Pick<Proposal, 'reason'> = { reason: 'Manual' },
  { sinceMs = Number.NEGATIVE_INFINITY }: Bounds,
  now: number,
): SizeDecision['request'] {
  if (reason !== 'Manual') return { reason, sinceMs: 0 };
  const boundsMs = Math.max(0, now - sinceMs);
  return { reason: 'SizeChanged', sinceMs: Math.min(ages.sizeMs, boundsMs) };
}
