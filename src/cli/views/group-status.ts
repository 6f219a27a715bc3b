// How is a group shown at a glance? By its status.
import type { SwarmGroup, SwarmGroupStatus } from '../../api/validate.ts';
import type { Condition } from '../../core/conditions.ts';
import { plural } from '../../core/text.ts';
import { type Cell, type Line, right, type Table, type TextStyle, tableLines } from '../render.ts';
import { conditionLines, readyOf, stateLine, stateOf } from './state.ts';
import { durationText, sinceText } from './time.ts';

type MemberStatus = NonNullable<SwarmGroupStatus['members']>[number];
type Transition = NonNullable<SwarmGroupStatus['transition']>;

export function groupsTable(groups: readonly SwarmGroup[], now: number): Table {
  return {
    columns: [
      'NAMESPACE',
      'GROUP',
      ...['SIZE', 'MEMBERS', 'READY'].map(right),
      'TRANSITION',
      right('TOOK'),
      'SINCE',
      'STATE',
    ],
    rows: groups.map((group): Cell[] => {
      const { meta, status } = group;
      const { transition } = status ?? {};
      return [
        meta.namespace,
        { text: meta.name, style: 'strong' },
        status?.replicas,
        status?.desiredMembers,
        status?.readyMembers,
        transition && { text: transition.state, style: transitionStyles[transition.state] },
        tookText(transition),
        sinceText(readyOf(group)?.lastTransitionTime, now),
        stateOf(group, isWaitingIn(group)),
      ];
    }),
  };
}

export function groupLines(group: SwarmGroup, width: number, now: number): readonly Line[] {
  const { meta, status } = group;
  const members = status?.members ?? [];
  return [
    [
      { text: `SwarmGroup ${meta.namespace}/${meta.name}`, style: 'strong' },
      { text: `: ${factsOf(group).join(', ')}` },
    ],
    stateLine(group, isWaitingIn(group), now),
    ...conditionLines(group, attention, now),
    ...(status?.transition === undefined ? [] : [transitionLine(status.transition, now)]),
    ...(members.length === 0 ? [] : ['', ...tableLines(membersTable(members), width)]),
  ];
}

const attention = { ifTrue: ['Stalled', 'Conflicted', 'Limited'], ifFalse: ['MetricsAvailable'] };

/** It is on its way, or waits for a time that comes by itself. */
const isWaitingIn =
  ({ status }: SwarmGroup) =>
  (_: Condition): boolean =>
    !(status?.conditions ?? []).some(({ type, status: is }) => type === 'Stalled' && is === 'True');

function factsOf({ spec, status }: SwarmGroup): readonly string[] {
  const { replicas, desiredMembers = 0, readyMembers = 0 } = status ?? {};
  const { type = 'Manual' } = spec.ok ? spec.value.policy : {};
  const isManual = type === 'Manual';
  const wanted = spec.ok && isManual ? spec.value.replicas : status?.proposal?.replicas;
  const isOther = wanted !== undefined && wanted !== replicas;
  const who = isManual ? 'spec.replicas' : 'proposed:';
  return [
    `size ${replicas ?? 'unknown'}${isOther ? ` (${who} ${wanted})` : ''}`,
    ...(isManual ? [] : [`policy ${type}`]),
    `${readyMembers} of ${plural(desiredMembers, 'member')} ready`,
    ...(spec.ok ? [spec.value.transition.order] : []),
  ];
}

const transitionStyles: Readonly<Record<Transition['state'], TextStyle>> = {
  Scaling: 'busy',
  RollingBack: 'busy',
  Completed: 'good',
  TimedOut: 'bad',
  RolledBack: 'bad',
  Superseded: 'faint',
};

export const memberStyles: Readonly<Record<MemberStatus['state'], TextStyle>> = {
  Ready: 'good',
  Scaling: 'busy',
  Waiting: 'busy',
  Unready: 'busy',
  Missing: 'bad',
  Conflicted: 'bad',
  Refused: 'bad',
};

const tookText = (transition: Transition | undefined): string | undefined =>
  durationText(transition?.times?.totalMilliseconds);

function transitionLine(transition: Transition, now: number): Line {
  const { state, from, to, reason, stage, requestTime, finishTime } = transition;
  const took = tookText(transition);
  const how =
    finishTime === undefined
      ? ` for ${sinceText(requestTime, now)}${stage === undefined ? '' : `, stage ${stage}`}`
      : `${took === undefined ? '' : ` in ${took}`}, ${sinceText(finishTime, now)} ago`;
  return [
    { text: `${from} -> ${to} (${reason}): ` },
    { text: state, style: transitionStyles[state] },
    { text: how },
  ];
}

function membersTable(members: readonly MemberStatus[]): Table {
  const isStaged = members.some(({ stage }) => stage !== undefined);
  return {
    columns: [
      'MEMBER',
      ...(isStaged ? [right('STAGE')] : []),
      ...['WANTED', 'REPLICAS', 'READY'].map(right),
      'STATE',
      '',
    ],
    rows: members.map((member): Cell[] => [
      `${member.kind}/${member.name}`,
      ...(isStaged ? [member.stage] : []),
      member.desired,
      member.replicas,
      member.ready,
      { text: member.state, style: memberStyles[member.state] },
      member.message ?? '',
    ]),
  };
}
