// How is each member of a group doing, stage by stage?
import type { GroupDetail, GroupMember } from '../../api/introspection/groups.ts';
import type { Tone } from './blocks.ts';
import { type ReplicaState, type Segment, segmentsFor } from './segments.ts';
import { isUnderWay } from './transitions.ts';
import { measuredText, numberText } from './words.ts';

export type MemberRow = {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly tone: Tone;
  readonly state: GroupMember['state'];
  readonly count: string;
  /** Empty if all is well. */
  readonly message: string;
  readonly took: string;
  /** One scale for all members. */
  readonly segments: readonly Segment[];
};

export type StageRow = {
  /** Undefined: all members are scaled together. */
  readonly stage: number | undefined;
  readonly isNow: boolean;
  readonly note: string;
  readonly members: readonly MemberRow[];
};

export function stagesOf(detail: GroupDetail): readonly StageRow[] {
  const { members } = detail;
  const most = Math.max(1, ...members.map(lengthOf));
  const stages = [...new Set(members.map(({ stage }) => stage))];
  return stages
    .toSorted((a = 0, b = 0) => a - b)
    .map((stage) => {
      const inIt = members.filter((member) => member.stage === stage);
      const isNow = stage !== undefined && stage === stageUnderWay(detail);
      return {
        stage,
        isNow,
        note: noteOf(detail, inIt, isNow),
        members: inIt.map((member) => rowOf(detail, member, most)),
      };
    });
}

const stageUnderWay = ({ transition, isPaused }: GroupDetail): number | undefined =>
  transition !== undefined && isUnderWay(transition) && !isPaused ? transition.stage : undefined;

function noteOf(
  { isPaused }: GroupDetail,
  members: readonly GroupMember[],
  isNow: boolean,
): string {
  if (isPaused) return '';
  if (isNow) return 'in progress';
  if (members.every(({ state }) => state === 'Ready')) return 'ready';
  return members.some(({ state }) => state === 'Waiting') ? 'waiting for its turn' : '';
}

function rowOf(detail: GroupDetail, member: GroupMember, most: number): MemberRow {
  const { kind, name, state } = member;
  const tone = toneOf(detail, member);
  return {
    key: `${kind}/${name}`,
    kind,
    name,
    tone,
    state,
    count: countText(member),
    message: messageText(member),
    took: tookText(detail, member),
    segments: segmentsOf(member, tone, most),
  };
}

/** An unready member counts as on its way during a rollout at rest, but not after a time-out. */
function toneOf({ isStalled, reason }: GroupDetail, { state }: GroupMember): Tone {
  switch (state) {
    case 'Ready':
      return 'good';
    case 'Scaling':
      return 'busy';
    case 'Waiting':
      return 'away';
    case 'Unready':
      return isStalled || reason === 'BackingOff' ? 'bad' : 'busy';
    default:
      return 'bad';
  }
}

/** The part of the replicas to create or remove that is done, 0 to 1. */
export function progressOf({ members }: GroupDetail): number {
  const sum = (countOf: (member: GroupMember) => number): number =>
    members.reduce((total, member) => total + countOf(member), 0);
  const done = sum(({ desired = 0, ready = 0 }) => Math.min(desired, ready));
  return done / Math.max(1, sum(lengthOf));
}

const lengthOf = ({ desired = 0, replicas = 0, ready = 0 }: GroupMember): number =>
  Math.max(desired, replicas, ready);

function countText({ desired, ready, state }: GroupMember): string {
  if (state === 'Missing' || ready === undefined)
    return desired === undefined ? '' : `${numberText(desired)} wanted`;
  if (desired === undefined) return `${numberText(ready)} ready`;
  return ready > desired
    ? `${numberText(ready)} ready, ${numberText(desired)} wanted`
    : `${numberText(ready)} of ${numberText(desired)} ready`;
}

/** Omits a message that only repeats the numbers. */
function messageText({ message = '', desired, ready }: GroupMember): string {
  return message === `${ready} of ${desired} are ready` ? '' : message;
}

/** The member's time in the current or the last transition, if known. */
function tookText({ transition }: GroupDetail, { kind, name, state }: GroupMember): string {
  const times = transition?.times?.members?.find((it) => it.kind === kind && it.name === name);
  const { patchMilliseconds, readyMilliseconds } = times ?? {};
  if (readyMilliseconds !== undefined)
    return state === 'Ready' ? `ready in ${measuredText(readyMilliseconds)}` : '';
  return patchMilliseconds === undefined ? '' : `scaled in ${measuredText(patchMilliseconds)}`;
}

function segmentsOf(member: GroupMember, tone: Tone, most: number): readonly Segment[] {
  const length = lengthOf(member);
  const { desired = length, ready = 0 } = member;
  const isReady = Math.min(ready, desired);
  const counts: readonly (readonly [ReplicaState, number])[] = [
    ['ready', isReady],
    [tone === 'bad' ? 'stuck' : 'waiting', desired - isReady],
    ['leaving', length - desired],
  ];
  return segmentsFor(counts, most);
}
