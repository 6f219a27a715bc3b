// What keeps the operator from deciding about a group? The first obstacle counts.
import type { SwarmGroupSpec } from '../api/validate.ts';
import { type BlockedBy, type Check, firstRefusal, invalidSpec } from '../core/blocked.ts';
import type { GroupObstacleReason } from './reasons.ts';
import type { GroupWorld } from './world.ts';

type Blocked = BlockedBy<GroupObstacleReason>;

type PreconditionResult =
  | { readonly ok: true; readonly spec: SwarmGroupSpec }
  | { readonly ok: false; readonly blocked: Blocked };

export const MOST_MEMBERS = 100;

export function checkPreconditions(world: GroupWorld): PreconditionResult {
  const { spec } = world.group;
  if (!spec.ok) return { ok: false, blocked: invalidSpec(spec.problems) };
  const blocked = firstRefusal(checks, world);
  return blocked === undefined ? { ok: true, spec: spec.value } : { ok: false, blocked };
}

const tooManyMembers: Check<GroupWorld, GroupObstacleReason> = ({ members }) => {
  if (members.length <= MOST_MEMBERS) return undefined;
  const message = `spec.selector selects ${members.length} workloads; a group can have at most ${MOST_MEMBERS} members`;
  return { reason: 'TooManyMembers', message, isStalled: true };
};

const checks: readonly Check<GroupWorld, GroupObstacleReason>[] = [tooManyMembers];
