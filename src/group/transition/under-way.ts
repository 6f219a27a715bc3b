// How does a transition go on? Which members may change now, which make no progress any more, and
// when does it end?

import type { SwarmGroupSpec } from '../../api/validate.ts';
import { timeText } from '../../core/text.ts';
import type { Goal } from '../goal.ts';
import {
  type FreeMember,
  isFree,
  isSettled,
  type Member,
  notReadyText,
} from '../members/members.ts';
import { bounded } from '../policy/bounds.ts';
import type { SizeDecision } from '../size.ts';
import type { GroupWorld, Progress, Rest, Run } from '../world.ts';
import { reachedOnTheWay, wouldGoBack } from './before.ts';
import { type HistoryEntry, type Transition, timed, timesOf, withEntry } from './transition.ts';
import { hasTurn, progressNow, withoutProgressMs } from './turns.ts';

/** The input of the next step of a transition. */
export type Input = Pick<SizeDecision, 'bounds' | 'request' | 'sizeThatFits'> & {
  readonly world: GroupWorld;
  readonly spec: SwarmGroupSpec;
  readonly goal: Goal;
  readonly attempt: string;
  readonly members: readonly Member[];
  readonly now: number;
};

export type Advanced = {
  /** As written into the status. */
  readonly transition: Transition | undefined;
  /** The newest first. */
  readonly history: readonly HistoryEntry[];
  /** Members that are to be scaled to their targets now. */
  readonly due: readonly FreeMember[];
  /** The status has the earlier replicas of each: no scale has to wait for its next write. */
  readonly isNoted: boolean;
  /** The keys of members that are changing or about to change: the others wait for these. */
  readonly moving: ReadonlySet<string>;
  readonly run: Run | undefined;
  readonly progress: Progress | undefined;
  /** Set for a group at rest. */
  readonly rest: Rest | undefined;
  readonly nextInMs: number | undefined;
};

export const nothing = {
  due: [],
  isNoted: false,
  moving: new Set<string>(),
  run: undefined,
  progress: undefined,
  rest: undefined,
  nextInMs: undefined,
} as const;

export function scaling(input: Input, last: Transition): Advanced {
  const { world, members, spec, bounds } = input;
  const free = members.filter(isFree);
  const run = runOf(world, last);
  const history = historyOf(input);
  // Other writers scale all members.
  if (free.length === 0) return ended(input, last, 'Superseded', undefined);
  if (free.every(isSettled)) return ended(input, last, 'Completed', run);
  const reached = reachedOnTheWay(last, history, free);
  const transition: Transition = { ...last, ...reached, attempt: input.attempt };
  const going = moved(input, { transition, history, run });
  if (!free.some((member) => isLate(input, transition, member))) return going;
  const message = notReadyText(free.filter((member) => isLate(input, transition, member)));
  const from = bounded(bounds, transition.from).wanted;
  // The next decision knows the replicas to which each member goes back, and scales the members.
  if (spec.transition.onTimeout === 'Rollback' && wouldGoBack(transition, from, free))
    return {
      ...nothing,
      transition: { ...bare(transition), state: 'RollingBack', message },
      history,
    };
  const left = free.filter(
    ({ found, target, scaleRefused }) => found.replicas !== target && scaleRefused === undefined,
  );
  // All members get the same size, including members that have waited for others.
  if (left.length > 0) return { ...going, due: left, moving: new Set(left.map(({ key }) => key)) };
  return ended(input, { ...transition, message }, 'TimedOut', run);
}

export function rollingBack(input: Input, last: Transition): Advanced {
  const free = input.members.filter(isFree);
  const isOver = (member: FreeMember): boolean =>
    isSettled(member) ||
    (isLate(input, last, member) &&
      (member.found.replicas === member.target || member.scaleRefused !== undefined));
  if (free.every(isOver)) return ended(input, last, 'RolledBack', undefined);
  return moved(input, { transition: last, history: historyOf(input), run: undefined });
}

type UnderWay = {
  readonly transition: Transition;
  readonly history: readonly HistoryEntry[];
  readonly run: Run | undefined;
};

/** The members that may change now. */
export function moved(input: Input, { transition, history, run: before }: UnderWay): Advanced {
  const { world, members, spec } = input;
  const { order } = spec.transition;
  const isBack = transition.state === 'RollingBack';
  const free = members.filter(isFree).map((member) => ({
    member,
    stage: member.rules.stage,
    replicas: member.found.replicas,
    target: member.target,
    // In a rollback a member without progress stops no other.
    isDone: isSettled(member) || (isBack && isLate(input, transition, member)),
  }));
  const isTurn = hasTurn(order, free);
  const moving = free.filter((it) => !it.isDone && isTurn(it));
  const isWaitedFor = ({ member }: (typeof free)[number]): boolean =>
    !isSettled(member) && waitedMs(input, transition, member) !== undefined;
  const waitedFor = free.filter((it) => moving.includes(it) || isWaitedFor(it));
  const progress = progressNow(
    world.remembered.progress,
    subjectOf(transition),
    waitedFor.map(({ member }) => member),
    world.monotonicMs,
  );
  const run =
    before &&
    timed(
      before,
      free.map(({ member }) => sightingOf(member)),
    );
  const stage = Math.min(...moving.map((it) => it.stage));
  const leftMs = [...progress.members.values()]
    .map(({ sinceMs }) => sinceMs + timeoutMs(input) - world.monotonicMs)
    .filter((ms) => ms > 0);
  return {
    ...nothing,
    transition: {
      ...bare(transition),
      ...(order === 'Staged' && moving.length > 0 && { stage }),
      ...(run !== undefined && { times: timesOf(run) }),
    },
    history,
    due: free
      .filter((it) => it.replicas !== it.target && (it.isDone || moving.includes(it)))
      .map(({ member }) => member),
    moving: new Set(moving.map(({ member }) => member.key)),
    run,
    progress,
    nextInMs: leftMs.length > 0 ? Math.min(...leftMs) : undefined,
  };
}

function ended(
  input: Input,
  last: Transition,
  outcome: HistoryEntry['outcome'],
  run: Run | undefined,
): Advanced {
  const { members, now } = input;
  const measured = run && timed(run, members.filter(isFree).map(sightingOf));
  const transition: Transition = {
    ...bare(last),
    state: outcome,
    finishTime: timeText(now),
    ...(measured !== undefined && { times: timesOf(measured) }),
  };
  const history = withEntry(historyOf(input), transition, outcome);
  // The measurement goes on, since the size may be reached late.
  return { ...nothing, transition, history, run: outcome === 'TimedOut' ? measured : undefined };
}

const historyOf = ({ world: { group } }: Input): readonly HistoryEntry[] =>
  group.status?.history ?? [];

const timeoutMs = ({ spec }: Input): number => spec.transition.timeoutSeconds * 1000;

/** An edit restarts the time, a new size does not. */
const subjectOf = ({ state, attempt }: Transition): string => `${state} ${attempt}`;

/** Undefined: the group has not waited for it. */
const waitedMs = (
  { world: { remembered, monotonicMs } }: Input,
  transition: Transition,
  member: FreeMember,
): number | undefined =>
  withoutProgressMs(remembered.progress, subjectOf(transition), member, monotonicMs);

const isLate = (input: Input, transition: Transition, member: FreeMember): boolean =>
  !isSettled(member) && (waitedMs(input, transition, member) ?? 0) >= timeoutMs(input);

/** Omits the fields that each decision computes anew. */
export function bare({ stage: _, times: __, ...rest }: Transition): Transition {
  return rest;
}

/** The measurement of this transition, if this leader began it. */
export function runOf(
  { remembered: { run } }: GroupWorld,
  { requestTime, to }: Transition,
): Run | undefined {
  return run?.requestTime === requestTime && run.to === to ? run : undefined;
}

export const sightingOf = (member: FreeMember) => ({
  key: member.key,
  kind: member.kind,
  name: member.name,
  hasSizeMs: member.found.replicas === member.target ? member.found.times.replicasMs : undefined,
  isReadyMs: isSettled(member) ? member.found.times.changedMs : undefined,
});
