// Did a cell of a group keep the promises that hold under every fault?
import type { SwarmGroupStatus } from '../../../src/api/validate.ts';
import { untilQuiet } from '../quiet.ts';
import type { GroupCell } from './group-cell.ts';
import { bounds, replicasAt, stageOf, stages } from './members.ts';

export type Move = {
  readonly from: number;
  readonly to: number;
  readonly outcome: 'Completed' | 'RolledBack';
};

/** What the group must have been through, and nothing else. */
export type GroupGoal = {
  readonly start: number;
  readonly moves: readonly Move[];
  /** How long after the last fault it may take. */
  readonly seconds: number;
};

const endOf = ({ from, to, outcome }: Move): number => (outcome === 'Completed' ? to : from);

/** The sizes that its members had, one after the other: one that fails is followed by the last. */
const sizesOf = ({ start, moves }: GroupGoal): readonly number[] => [
  start,
  ...moves.flatMap(({ from, to, outcome }) => (outcome === 'Completed' ? [to] : [to, from])),
];

export async function untilAtGoal(cell: GroupCell, goal: GroupGoal): Promise<void> {
  const isReached = (status: SwarmGroupStatus): boolean => atGoal(status, goal).length === 0;
  await cell.group.until('has reached its goal', isReached, goal.seconds).catch((error: Error) => {
    throw new Error(`${error.message}\n${pathText(cell)}`);
  });
}

/** Of a cell that is at its goal. */
export async function checkGroupCell(cell: GroupCell, goal: GroupGoal): Promise<void> {
  const { group, record, namespace } = cell;
  await untilQuiet(cell);
  const problems = [
    // A correct state must have stayed correct.
    ...atGoal((await group.status()) ?? {}, goal),
    ...outOfBounds(cell),
    ...Object.keys(stages).flatMap((member) => wrongPath(cell, member, sizesOf(goal))),
    ...(cell.order === 'Staged' ? outOfOrder(cell, sizesOf(goal)) : []),
    ...lostBefore(cell),
    ...falselyReady(cell),
    ...cell.replicas.flatMap((replica) => replica.complaints()),
  ];
  if (record.groups.length === 0) problems.push('the record has missed the group');
  if (problems.length > 0)
    throw new Error(`${namespace}:\n  ${problems.join('\n  ')}\n${pathText(cell)}`);
}

/** What of its status is not as it has to be at the end. */
function atGoal(status: SwarmGroupStatus, { start, moves }: GroupGoal): readonly string[] {
  const { replicas, transition, history = [], members = [], conditions = [] } = status;
  const last = moves.at(-1);
  const size = last === undefined ? start : endOf(last);
  const ready = conditions.find(({ type }) => type === 'Ready')?.reason;
  const wanted = last?.outcome === 'RolledBack' ? 'BackingOff' : 'AllReady';
  const told = history.map(({ from, to, outcome }) => `${from} -> ${to} ${outcome}`);
  const wished = moves.map(({ from, to, outcome }) => `${from} -> ${to} ${outcome}`).reverse();
  return [
    ...(replicas === size ? [] : [`status.replicas is ${replicas}, not ${size}`]),
    ...(transition?.state === last?.outcome ? [] : [`the transition is ${transition?.state}`]),
    ...(told.join() === wished.join() ? [] : [`history says ${told.join()}, not ${wished.join()}`]),
    ...(ready === wanted ? [] : [`Ready says ${ready}, not ${wanted}`]),
    ...members
      .filter((member) => member.replicas !== replicasAt(member.name, size))
      .map((member) => `${member.name} has ${member.replicas} at size ${size}`),
  ];
}

function outOfBounds({ record }: GroupCell): readonly string[] {
  return record.members
    .filter(({ name, replicas }) => {
      const [least, most] = bounds[name] ?? [0, 0];
      return replicas < least || replicas > most;
    })
    .map(({ name, replicas }) => `${name} had ${replicas}, which is not within its bounds`);
}

/**
 * Each member had what these sizes say, in this order, and nothing in between: two leaders that
 * scale against each other are seen here.
 */
function wrongPath(cell: GroupCell, member: string, sizes: readonly number[]): readonly string[] {
  const had = distinct(
    cell.record.members.filter(({ name }) => name === member).map(({ replicas }) => replicas),
  );
  const wanted = distinct(sizes.map((size) => replicasAt(member, size)));
  return had.join() === wanted.join()
    ? []
    : [`${member} had ${had.join(', ')} one after the other, not ${wanted.join(', ')}`];
}

const distinct = (values: readonly number[]): readonly number[] =>
  values.filter((value, index) => value !== values[index - 1]);

/**
 * A member grows when those of lower stages have the new size and are ready, and shrinks when those
 * of higher stages have it.
 */
function outOfOrder({ record }: GroupCell, sizes: readonly number[]): readonly string[] {
  const present = new Map<string, (typeof record.members)[number]>();
  const positions = new Map<string, number>();
  return record.members.flatMap((state) => {
    const before = present.get(state.name);
    present.set(state.name, state);
    if (before === undefined || before.replicas === state.replicas) return [];
    const position = sizes.findIndex(
      (size, index) =>
        index > (positions.get(state.name) ?? 0) && replicasAt(state.name, size) === state.replicas,
    );
    positions.set(state.name, position);
    const size = sizes[position];
    if (size === undefined) return [];
    const isGrowing = state.replicas > before.replicas;
    return [...present.values()]
      .filter(({ name }) => isBefore(stageOf(name), stageOf(state.name), isGrowing))
      .filter(
        ({ name, replicas, ready }) =>
          replicas !== replicasAt(name, size) || (isGrowing && ready < replicas),
      )
      .map(
        ({ name, replicas, ready }) =>
          `${state.name} became ${state.replicas} when ${name} had ${replicas}, ${ready} ready`,
      );
  });
}

const isBefore = (one: number, other: number, isGrowing: boolean): boolean =>
  isGrowing ? one < other : one > other;

/** While it is under way, a transition says what each had when the group was last at rest. */
function lostBefore({ record }: GroupCell): readonly string[] {
  return record.groups.flatMap(({ status: { transition } }) => {
    if (transition === undefined) return [];
    const { before = [], from, to, state } = transition;
    const wrong = Object.keys(stages).filter(
      (member) => before.find(({ name }) => name === member)?.replicas !== replicasAt(member, from),
    );
    return wrong.map((member) => `${from} -> ${to} (${state}): what ${member} had before is lost`);
  });
}

/** Ready names the size that all members have. */
function falselyReady({ record }: GroupCell): readonly string[] {
  return record.groups.flatMap(({ revision, status }) => {
    const { replicas: size, conditions = [] } = status;
    const isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    if (!isReady || size === undefined) return [];
    return Object.keys(stages).flatMap((member) => {
      const then = record.members.findLast(
        (state) => state.name === member && state.revision <= revision,
      );
      return then === undefined || then.replicas === replicasAt(member, size)
        ? []
        : [`Ready at size ${size}, when ${member} had ${then.replicas}`];
    });
  });
}

/** For the reader of a failure. */
function pathText({ record }: GroupCell): string {
  const changes = record.members.filter(
    (state, index) =>
      record.members.findLast((one, at) => at < index && one.name === state.name)?.replicas !==
      state.replicas,
  );
  const members = changes.map(({ name, replicas, revision }) => `${revision} ${name} ${replicas}`);
  const groups = record.groups.map(
    ({ revision, status: { transition, replicas } }) =>
      `${revision} size ${replicas}, ${transition?.from} -> ${transition?.to} ${transition?.state}`,
  );
  return [...members, ...groups].join('\n  ');
}
