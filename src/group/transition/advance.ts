// Does the transition begin, go on, end, or go back? Progress is read from the members, so a new
// leader continues at the same point.
import { timeText } from '../../core/text.ts';
import { type FreeMember, isFree, isSettled } from '../members/members.ts';
import { bounded } from '../policy/bounds.ts';
import type { RequestReason } from '../reasons.ts';
import type { Run } from '../world.ts';
import {
  type Before,
  beforeAtRest,
  beforeRolledBack,
  isNoted,
  isReached,
  listedIn,
  reachedOnTheWay,
  restOf,
} from './before.ts';
import {
  type HistoryEntry,
  isUnderWay,
  type Transition,
  timed,
  timesOf,
  withEntry,
  withLateEntry,
} from './transition.ts';
import {
  type Advanced,
  bare,
  type Input,
  moved,
  nothing,
  rollingBack,
  runOf,
  scaling,
  sightingOf,
} from './under-way.ts';

export function advance(input: Input): Advanced {
  const { goal } = input;
  const last = input.world.group.status?.transition;
  if (!isUnderWay(last)) return atRest(input, last);
  if (last.state === 'RollingBack')
    return goal.failed === undefined ? superseded(input, last) : rollingBack(input, last);
  return last.to === goal.size ? scaling(input, last) : superseded(input, last);
}

function atRest(input: Input, last: Transition | undefined): Advanced {
  const { world, goal, members, request } = input;
  const { group } = world;
  const history = group.status?.history ?? [];
  const free = members.filter(isFree);
  const isNew = goal.size !== (group.status?.replicas ?? goal.size);
  // Scaled by a leader that ended before it wrote the transition into the status.
  const isBegun = (member: FreeMember): boolean =>
    isNew && (listedIn(group, member)?.replicas ?? member.target) !== member.target;
  const off = free.filter((it) => it.found.replicas !== it.target || isBegun(it));
  const resting: Advanced = {
    ...nothing,
    transition: last,
    history,
    run: world.remembered.run,
    rest: restOf(free),
    nextInMs: goal.backOffMs,
  };
  if (off.every(({ scaleRefused }) => scaleRefused !== undefined)) {
    const isLate = last?.state === 'TimedOut' && last.to === goal.size && free.length > 0;
    return isLate && free.every(isSettled)
      ? reachedLate(input, last, free)
      : { ...resting, due: off };
  }
  const held = group.status?.replicas ?? input.sizeThatFits ?? goal.size;
  const reason = reasonOf(input, last, held);
  const isRest = last === undefined || isRestAfter(input, last, held);
  return begun(input, {
    from: isRest ? held : last.from,
    reason,
    sinceMs: reason === request.reason ? request.sinceMs : 0,
    before: isRest ? beforeFromRest(input, last, held) : (last.before ?? []),
    isNoted: isNoted(group),
    history,
  });
}

function beforeFromRest(
  { world: { group, remembered }, members }: Input,
  last: Transition | undefined,
  held: number,
): Before {
  const before = beforeAtRest(group, members.filter(isFree), remembered.rest);
  if (last?.from !== held) return before;
  const isNew = ({ kind, name }: Before[number]): boolean =>
    !before.some((it) => it.kind === kind && it.name === name);
  return [...before, ...beforeRolledBack(group, last, members).filter(isNew)];
}

/**
 * The group is not at rest at a size that was kept but not reached. Neither is it at a failed size
 * that a member cannot leave, nor at a size that bounds force in place of the earlier one, until
 * that size is reached.
 */
function isRestAfter({ world, bounds, members }: Input, last: Transition, held: number): boolean {
  const { state, from, to } = last;
  if (state !== 'RolledBack') return state !== 'TimedOut';
  const isLeft = world.group.status?.replicas !== to || bounded(bounds, from).wanted === to;
  return isLeft && (held === from || isReached(held, last, members.filter(isFree)));
}

function reasonOf(
  { world: { group }, goal, attempt, request }: Input,
  last: Transition | undefined,
  from: number,
): RequestReason {
  const { status, meta } = group;
  if (status === undefined) return 'GroupCreated';
  const edited = status.observedGeneration === meta.generation ? 'MemberChanged' : 'GroupEdited';
  const [failed] = (status.history ?? []).filter(
    ({ to, outcome }) => to === goal.size && outcome !== 'Superseded',
  );
  if (failed !== undefined && failed.outcome !== 'Completed' && goal.size !== from)
    return failed.attempt === attempt ? 'Retried' : edited;
  if (last?.state === 'TimedOut' && last.to === goal.size) return 'Retried';
  return goal.size !== from ? request.reason : edited;
}

function reachedLate(input: Input, last: Transition, free: readonly FreeMember[]): Advanced {
  const { world, now } = input;
  const run = runOf(world, last);
  const measured = run && timed(run, free.map(sightingOf));
  const { message: _, ...rest } = bare(last);
  const transition: Transition = {
    ...rest,
    state: 'Completed',
    finishTime: timeText(now),
    ...(measured !== undefined && { times: timesOf(measured) }),
  };
  const history = withLateEntry(world.group.status?.history ?? [], transition);
  return { ...nothing, transition, history };
}

/** A later rollback goes to the last size that was reached, not to one in between. */
function superseded(input: Input, last: Transition): Advanced {
  const { world, members } = input;
  // A size that is being rolled back has failed, and another size does not change that.
  const outcome = last.state === 'RollingBack' ? 'TimedOut' : 'Superseded';
  const history = withEntry(world.group.status?.history ?? [], last, outcome);
  const free = members.filter(isFree);
  const next: Transition = { ...last, to: input.goal.size };
  const reached = outcome === 'Superseded' ? reachedOnTheWay(next, history, free) : undefined;
  return begun(input, {
    from: reached?.from ?? last.from,
    ...input.request,
    before: reached?.before ?? last.before ?? [],
    isNoted: reached === undefined,
    history,
  });
}

type Beginning = {
  readonly from: number;
  readonly reason: RequestReason;
  /** The time since the leader saw the request. */
  readonly sinceMs: number;
  readonly before: Before;
  readonly isNoted: boolean;
  readonly history: readonly HistoryEntry[];
};

function begun(input: Input, beginning: Beginning): Advanced {
  const { from, reason, sinceMs, before, isNoted, history } = beginning;
  const { world, goal, attempt, now } = input;
  const to = goal.size;
  const requestTime = timeText(now - sinceMs);
  const transition: Transition = {
    ...{ state: 'Scaling', from, to, reason, requestTime, before, attempt },
  };
  const startMs = world.monotonicMs - sinceMs;
  const run: Run = { requestTime, to, startMs, members: new Map() };
  const known = world.remembered.run;
  // The status with this transition has not arrived yet.
  const isSame = known?.to === to && known.startMs === startMs;
  const going = moved(input, { transition, history, run: isSame ? known : run });
  return { ...going, isNoted };
}
