// What should be: the size, the replicas of each member, and the state of the transition?
import type { SwarmGroupSpec } from '../api/validate.ts';
import { isPausedBy } from '../core/pause.ts';
import { attemptOf, type Goal, goalOf, retryOf } from './goal.ts';
import { isFree, type Member, membersOf } from './members/members.ts';
import { decideSize, type SizeDecision } from './size.ts';
import { advance } from './transition/advance.ts';
import { isUnderWay } from './transition/transition.ts';
import { type Advanced, nothing } from './transition/under-way.ts';
import type { GroupWorld, Retry } from './world.ts';

export type DesiredGroup = {
  readonly spec: SwarmGroupSpec;
  readonly isPaused: boolean;
  readonly goal: Goal;
  /** The wanted size failed, and is not tried again yet. */
  readonly backsOff: boolean;
  /** Undefined: no failed size waits to be tried again. */
  readonly retry: Retry | undefined;
  readonly members: readonly Member[];
  /** The size that the members have; undefined: there is none yet. */
  readonly sizeHeld: number | undefined;
} & SizeDecision &
  Advanced;

const noGoal: Goal = { size: 0, isBack: false, failed: undefined, backOffMs: undefined };

export function computeDesiredState(
  world: GroupWorld,
  spec: SwarmGroupSpec,
  now: number,
): DesiredGroup {
  const { status, meta } = world.group;
  const isPaused = isPausedBy(meta, spec);
  const decided = decideSize(world, spec, now);
  const { size, bounds, request, sizeThatFits } = decided;
  const attempt = attemptOf(world, spec);
  const goal =
    size === undefined ? noGoal : goalOf(world, spec, { wanted: size.wanted, bounds }, attempt);
  const members = membersOf(world, spec, goal, isPaused);
  const shown = { ...decided, spec, isPaused, goal, members, retry: undefined };
  if (size === undefined || isPaused) {
    const { transition, history = [], replicas: sizeHeld } = status ?? {};
    const { rest } = world.remembered;
    return { ...shown, ...nothing, transition, history, rest, sizeHeld, backsOff: false };
  }
  const input = { world, spec, goal, bounds, request, attempt, sizeThatFits, members, now };
  const advanced = advance(input);
  const hasGivenUp = advanced.transition?.state === 'RolledBack' && isUnderWay(status?.transition);
  const backsOff = goal.backOffMs !== undefined || hasGivenUp;
  const { history } = advanced;
  const failed = { wanted: size.wanted, leftMs: goal.backOffMs, attempt, history, now };
  return {
    ...shown,
    ...advanced,
    backsOff,
    retry: backsOff ? retryOf(world, spec, failed) : undefined,
    sizeHeld: haveTheirSize(members) ? goal.size : status?.replicas,
  };
}

function haveTheirSize(members: readonly Member[]): boolean {
  const free = members.filter(isFree);
  return free.length > 0 && free.every(({ found, target }) => found.replicas === target);
}

export const isMoving = ({ transition, isPaused }: DesiredGroup): boolean =>
  !isPaused && isUnderWay(transition);
