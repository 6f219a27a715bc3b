// Which groups exist, and how is each doing?
import type { Group, GroupDetail } from '../../api/introspection/groups.ts';
import { type Known, knownFrom, type ObjectRef, withOne, without } from './known.ts';
import { type Standing, standing } from './standing.ts';
import { counted, numberText, reasonText } from './words.ts';

export type GroupNews =
  | { readonly type: 'groups'; readonly groups: readonly Group[] }
  | { readonly type: 'group'; readonly group: Group }
  | ({ readonly type: 'group-gone' } & ObjectRef);

export function withGroupNews(known: Known<Group>, news: GroupNews): Known<Group> {
  switch (news.type) {
    case 'groups':
      return knownFrom(news.groups);
    case 'group':
      return withOne(known, news.group);
    case 'group-gone':
      return without(known, news);
    default:
      return news satisfies never;
  }
}

export function groupStandingOf(group: Group): Standing {
  const { isStalled, isPaused, isReady, state, reason, message } = group;
  if (isStalled)
    return standing('bad', reason === 'TransitionTimedOut' ? 'Timed out' : 'Stalled', message);
  if (isPaused) return standing('quiet', 'Paused', message);
  if (isReady) return standing('good', 'Ready', '');
  const trouble = troubles.get(reason);
  if (trouble !== undefined) return standing('bad', trouble, message);
  if (state === 'RollingBack')
    return standing('bad', 'Rolling back', `rolling back: ${readyText(group)}`);
  if (state === 'Scaling') return standing('busy', 'Scaling', readyText(group));
  if (reason === 'NoMembers') return standing('away', 'No members', message);
  return standing('busy', 'Not ready', message);
}

const readyText = ({ readyMembers, desiredMembers }: Group): string =>
  `${readyMembers} of ${counted(desiredMembers, 'member')} ready`;

/** Reasons that do not go away by themselves, or not soon. */
const troubles: ReadonlyMap<string, string> = new Map([
  ['BackingOff', 'Backing off'],
  ['WriteRefused', 'Refused'],
  ['MemberMissing', 'Member missing'],
  ['MetricMissing', 'No metric'],
]);

/** The policy's message, and conditions that do not keep the group from being ready. */
export function notesOf(detail: GroupDetail): readonly string[] {
  const { policy, proposal, conditions, message: told } = detail;
  return [
    ...(proposal?.message === undefined || policy === 'Manual'
      ? []
      : [`${policy}: ${proposal.message}`]),
    ...conditions
      .filter(({ type, status, message }) => attention.get(type) === status && message !== told)
      .map(({ reason, message }) => `${reasonText(reason)}: ${message}`),
  ];
}

const attention: ReadonlyMap<string, string> = new Map([
  ['MetricsAvailable', 'False'],
  ['Conflicted', 'True'],
  ['Limited', 'True'],
]);

/** The current size, and the wanted one if it differs. */
export function sizeText({ size, desiredSize }: Pick<Group, 'size' | 'desiredSize'>): string {
  if (size === undefined) return desiredSize === undefined ? 'unknown' : numberText(desiredSize);
  return desiredSize === undefined || desiredSize === size
    ? numberText(size)
    : fromToText(size, desiredSize);
}

export const fromToText = (from: number, to: number): string =>
  `${numberText(from)} → ${numberText(to)}`;
