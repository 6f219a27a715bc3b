// What should be: the size, what each member is to have, and what becomes of the transition?
import type { SwarmGroupSpec } from '../api/validate.ts';
import { isPausedBy } from '../core/pause.ts';
import { isUnderWay, type Member, membersOf } from './members/members.ts';
import { type GroupSize, sizeWanted } from './size.ts';
import { type Advanced, advance } from './transition/advance.ts';
import type { GroupWorld } from './world.ts';

export type DesiredGroup = {
  readonly spec: SwarmGroupSpec;
  readonly isPaused: boolean;
  /** Undefined: spec.replicas is left out, and not taken over yet. */
  readonly size: GroupSize | undefined;
  readonly members: readonly Member[];
} & Advanced;

export function computeDesiredState(
  world: GroupWorld,
  spec: SwarmGroupSpec,
  now: number,
): DesiredGroup {
  const { status, meta } = world.group;
  const isPaused = isPausedBy(meta, spec);
  const size = sizeWanted(spec);
  const members = membersOf(world, spec, size?.wanted ?? 0);
  if (size !== undefined && !isPaused) {
    const advanced = advance({ world, spec, size: size.wanted, members, now });
    const { transition } = advanced;
    // From now on each is to have again what the size says.
    const isBack = transition?.state === 'RolledBack' && isUnderWay(status?.transition);
    const shown = isBack ? membersOf(world, spec, size.wanted, transition) : members;
    return { spec, isPaused, size, members: shown, ...advanced };
  }
  return {
    spec,
    isPaused,
    size,
    members,
    transition: status?.transition,
    history: status?.history ?? [],
    due: [],
    isNoted: false,
    moving: new Set(),
    run: undefined,
    backsOff: false,
    isOverdue: false,
    nextInMs: undefined,
  };
}

export const isMoving = ({ transition, isPaused }: DesiredGroup): boolean =>
  !isPaused && isUnderWay(transition);
