// What becomes of the transition now: does it begin, go on, end, or go back? Progress is read from
// the members, so a new leader goes on where the last one stopped.
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import { timeText } from '../../core/text.ts';
import {
  type FreeMember,
  isFree,
  isSettled,
  isUnderWay,
  type Member,
  type Transition,
} from '../members/members.ts';
import type { RequestReason } from '../reasons.ts';
import type { GroupWorld } from '../world.ts';
import { backOffMs } from './back-off.ts';
import { type Before, hadIn, scaledAlready, withBefore } from './before.ts';
import { hasTurn } from './order.ts';
import { type Run, slowestIn, timed, timesOf } from './times.ts';

type HistoryEntry = NonNullable<SwarmGroupStatus['history']>[number];

export type Advanced = {
  /** As it is to stand in status. */
  readonly transition: Transition | undefined;
  /** The newest first. */
  readonly history: readonly HistoryEntry[];
  /** Members that are to be scaled to their targets now. */
  readonly due: readonly FreeMember[];
  /** Status has what each of them had before: they need not wait for its next write. */
  readonly isNoted: boolean;
  /** The keys of members that are on their way, or about to be. */
  readonly moving: ReadonlySet<string>;
  readonly run: Run | undefined;
  /** This size failed, and is not tried again yet. */
  readonly backsOff: boolean;
  /** A rollback has not ended in time; it goes on. */
  readonly isOverdue: boolean;
  readonly nextInMs: number | undefined;
};

type Input = {
  readonly world: GroupWorld;
  readonly spec: SwarmGroupSpec;
  readonly size: number;
  readonly members: readonly Member[];
  readonly now: number;
};

const MOST_HISTORY = 20;

export function advance(input: Input): Advanced {
  const { world, size } = input;
  const { status } = world.group;
  const last = status?.transition;
  if (!isUnderWay(last)) return atRest(input, last);
  if (last.to !== size) return superseded(input, last);
  return last.state === 'Scaling' ? scaling(input, last) : rollingBack(input, last);
}

const nothing = {
  due: [],
  isNoted: false,
  moving: new Set<string>(),
  run: undefined,
  backsOff: false,
  isOverdue: false,
  nextInMs: undefined,
} as const;

function atRest(input: Input, last: Transition | undefined): Advanced {
  const { world, spec, size, members } = input;
  const { group, ages, remembered } = world;
  const history = group.status?.history ?? [];
  const resting = { ...nothing, transition: last, history, run: remembered.run };
  const waitMs = backOffMs(spec, history, size) - (ages.failedMs.get(size) ?? 0);
  const before = group.status?.replicas ?? size;
  const isNew = size !== before;
  const had = members.filter(isFree).map((member) => ({ member, had: hadIn(group, member) }));
  const isOff = had.some(
    ({ member: { found, target }, had: before }) =>
      found.replicas !== target || (isNew && before !== undefined && before !== target),
  );
  if (isOff && waitMs > 0) return { ...resting, backsOff: true, nextInMs: waitMs };
  if (!isOff) return resting;
  const hasFailed = last?.state === 'RolledBack' || (last?.state === 'TimedOut' && !isNew);
  return begun(input, {
    from: hasFailed ? last.from : before,
    reason: isNew ? 'SizeChanged' : whyAgain(input, last),
    sinceMs: isNew ? ages.sizeMs : 0,
    before: isNew ? had.flatMap(scaledAlready) : [],
    isNoted: isNew && had.every((it) => it.had === it.member.found.replicas),
    history,
  });
}

function whyAgain(
  { world: { group } }: Input,
  last: Transition | undefined,
): Exclude<RequestReason, 'SizeChanged'> {
  if (group.status === undefined) return 'GroupCreated';
  if (last?.state === 'RolledBack' || last?.state === 'TimedOut') return 'Retried';
  return group.status?.observedGeneration === group.meta.generation
    ? 'MemberChanged'
    : 'GroupEdited';
}

/** The next one goes back to where the group last was at rest, not to a part of the way. */
const superseded = (input: Input, last: Transition): Advanced =>
  begun(input, {
    from: last.from,
    reason: 'SizeChanged',
    sinceMs: input.world.ages.sizeMs,
    before: last.before ?? [],
    isNoted: input.members
      .filter(isFree)
      .every(({ kind, name }) => last.before?.some((it) => it.kind === kind && it.name === name)),
    history: [entryOf(last, 'Superseded', undefined), ...historyOf(input)].slice(0, MOST_HISTORY),
  });

type UnderWay = {
  readonly transition: Transition;
  readonly history: readonly HistoryEntry[];
  readonly before: Run | undefined;
  readonly ageMs: number;
};

type Beginning = {
  readonly from: number;
  readonly reason: RequestReason;
  /** How long ago the leader saw the request. */
  readonly sinceMs: number;
  readonly before: Before;
  readonly isNoted: boolean;
  readonly history: readonly HistoryEntry[];
};

function begun(input: Input, beginning: Beginning): Advanced {
  const { from, reason, sinceMs, before, isNoted, history } = beginning;
  const { world, size, now } = input;
  const requestTime = timeText(now - sinceMs);
  const transition: Transition = { state: 'Scaling', from, to: size, reason, requestTime, before };
  const startMs = world.monotonicMs - sinceMs;
  const run: Run = { requestTime, to: size, startMs, members: new Map() };
  const known = world.remembered.run;
  // The status that noted it has not arrived yet.
  const isSame = known?.to === size && known.startMs === startMs;
  const going = moved(input, { transition, history, before: isSame ? known : run, ageMs: 0 });
  return { ...going, isNoted };
}

function scaling(input: Input, last: Transition): Advanced {
  const { spec, members, world } = input;
  const run = runOf(world, last);
  const free = members.filter(isFree);
  if (free.every(isSettled)) return ended(input, last, 'Completed', run);
  const ageMs = world.ages.transitionMs;
  if (ageMs < spec.transition.timeoutSeconds * 1000)
    return moved(input, { transition: last, history: historyOf(input), before: run, ageMs });
  if (spec.transition.onTimeout === 'Keep') return ended(input, last, 'TimedOut', run);
  // The next decision, which knows what each is to go back to, moves the members.
  const transition: Transition = { ...bare(last), state: 'RollingBack' };
  return { ...nothing, transition, history: historyOf(input) };
}

function rollingBack(input: Input, last: Transition): Advanced {
  if (input.members.filter(isFree).every(isSettled))
    return { ...ended(input, last, 'RolledBack', undefined), backsOff: true };
  const { transitionMs: ageMs } = input.world.ages;
  return moved(input, { transition: last, history: historyOf(input), before: undefined, ageMs });
}

/** Under way: the members whose turn it is, and what all had before any of them was touched. */
function moved(input: Input, { transition, history, before, ageMs }: UnderWay): Advanced {
  const { spec, members } = input;
  const { order, timeoutSeconds } = spec.transition;
  const free = members.filter(isFree).map((member) => ({
    member,
    stage: member.rules.stage,
    replicas: member.found.replicas,
    target: member.target,
    isSettled: isSettled(member),
  }));
  const moving = free.filter(({ isSettled: isDone }) => !isDone).filter(hasTurn(order, free));
  const run =
    before &&
    timed(
      before,
      free.map(({ member }) => sightingOf(member)),
    );
  const untilTimeoutMs = timeoutSeconds * 1000 - ageMs;
  const stage = Math.min(...moving.map((it) => it.stage));
  return {
    ...nothing,
    transition: {
      ...bare(transition),
      ...(order === 'Staged' && moving.length > 0 && { stage }),
      before: withBefore(transition.before ?? [], members),
      ...(run !== undefined && { times: timesOf(run) }),
    },
    history,
    due: moving.filter(({ replicas, target }) => replicas !== target).map(({ member }) => member),
    moving: new Set(moving.map(({ member }) => member.key)),
    run,
    isOverdue: transition.state === 'RollingBack' && untilTimeoutMs <= 0,
    nextInMs: untilTimeoutMs > 0 ? untilTimeoutMs : undefined,
  };
}

function ended(
  input: Input,
  last: Transition,
  state: HistoryEntry['outcome'],
  run: Run | undefined,
): Advanced {
  const { members, now } = input;
  const measured = run && timed(run, members.filter(isFree).map(sightingOf));
  const times = measured && timesOf(measured);
  const transition: Transition = {
    ...bare(last),
    state,
    finishTime: timeText(now),
    ...(times !== undefined && { times }),
  };
  const history = [entryOf(transition, state, times), ...historyOf(input)].slice(0, MOST_HISTORY);
  return { ...nothing, transition, history };
}

const historyOf = ({ world: { group } }: Input): readonly HistoryEntry[] =>
  group.status?.history ?? [];

/** Without what is made anew. */
function bare({ stage: _, times: __, ...rest }: Transition): Transition {
  return rest;
}

/** The measurement of this transition, if this leader began it. */
function runOf(
  { remembered: { run } }: GroupWorld,
  { requestTime, to }: Transition,
): Run | undefined {
  return run?.requestTime === requestTime && run.to === to ? run : undefined;
}

const sightingOf = (member: FreeMember) => ({
  key: member.key,
  kind: member.kind,
  name: member.name,
  hasSizeMs: member.found.replicas === member.target ? member.found.times.replicasMs : undefined,
  isReadyMs: isSettled(member) ? member.found.times.settledMs : undefined,
});

function entryOf(
  { from, to, reason, requestTime }: Transition,
  outcome: HistoryEntry['outcome'],
  times: Transition['times'],
): HistoryEntry {
  const { totalMilliseconds, patchMilliseconds } = times ?? {};
  const slowest = times && slowestIn(times);
  return {
    from,
    to,
    outcome,
    reason,
    requestTime,
    ...(outcome === 'Completed' && totalMilliseconds !== undefined && { totalMilliseconds }),
    ...(patchMilliseconds !== undefined && { patchMilliseconds }),
    ...(outcome === 'Completed' && slowest !== undefined && { slowest }),
  };
}
