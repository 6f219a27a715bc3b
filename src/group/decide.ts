// What does the operator do about a group, and when does time alone change the decision? This file
// only decides.
import { kinds } from '../api/kinds.ts';
import type { SwarmGroup, SwarmGroupStatus } from '../api/validate.ts';
import { decisionFailed } from '../core/blocked.ts';
import { contestEndsInMs } from '../core/contest.ts';
import { type Decision, type Refusal, type Step, versionedRefOf } from '../core/decision.ts';
import { atOnce, ownEventStep } from '../core/own-status.ts';
import { plural } from '../core/text.ts';
import { computeDesiredState, type DesiredGroup } from './desired-state.ts';
import type { FreeMember } from './members/members.ts';
import { checkPreconditions } from './preconditions.ts';
import type { GroupEvent } from './reasons.ts';
import { missingMembers } from './size.ts';
import { atPace, statusAmong } from './status/steps.ts';
import { statusOf, statusWhenBlocked } from './status.ts';
import type { GroupWorld, RememberedGroup, RememberedMember } from './world.ts';

/** The time until the next decision while a member has not been read. */
const READ_AGAIN_MS = 1_000;

export type GroupDecision = Decision & { readonly remembered: RememberedGroup };

export function decideGroup(world: GroupWorld, now: number): GroupDecision {
  const { group, remembered } = world;
  if (group.meta.isDeleting) return { steps: [], remembered };
  const checked = checkPreconditions(world);
  if (!checked.ok) {
    const status = statusWhenBlocked(group, checked.blocked, now);
    return { ...statusAmong(group, atOnce(status), {}), remembered };
  }
  // A scale that ignores the replicas of an unread member may have to be undone.
  if (world.members.some(({ unread }) => unread?.isPending))
    return { steps: [], requeueAfterMs: READ_AGAIN_MS, remembered };
  const desired = computeDesiredState(world, checked.spec, now);
  const { due, waitMs } = dueNow(world, desired);
  const status = atPace(world, statusOf(world, desired, now));
  const waits = [
    desired.nextInMs,
    desired.sizeNextInMs,
    waitMs,
    ...desired.members.map(({ remembered: it }) =>
      contestEndsInMs(it?.changedMs ?? [], world.monotonicMs),
    ),
  ].filter((ms) => ms !== undefined);
  const scales = due.map(scaleStep);
  const isFirst = scalesFirst(world, desired);
  const around = {
    before: isFirst ? scales : [],
    after: [
      ...(isFirst ? [] : scales),
      ...sizeSteps(world, desired),
      ...events(desired, due).map((event) => ownEventStep(kinds.SwarmGroup, group.meta, event)),
    ],
    requeueAfterMs: waits.length === 0 ? undefined : Math.max(0, Math.min(...waits)),
  };
  return {
    ...statusAmong(group, status, around),
    remembered: {
      ages: remembered.ages,
      run: desired.run,
      progress: desired.progress,
      rest: desired.rest,
      retry: desired.retry,
      timetable: desired.timetable,
      proposals: desired.size?.proposal.proposals,
      members: rememberedBy(world, desired, due),
    },
  };
}

/** The status after the decision has been carried out. */
export const statusAfter = (
  { group }: GroupWorld,
  { steps }: GroupDecision,
): SwarmGroupStatus | undefined =>
  steps.find((step) => step.do === 'status')?.status ?? group.status;

/** Reads only the group, since any other object may be the cause of the failure. */
export function decideFailed(
  group: SwarmGroup,
  refused: Refusal | undefined,
  now: number,
): Decision {
  if (group.meta.isDeleting) return { steps: [] };
  const blocked = decisionFailed('group', refused, 'its members keep their sizes');
  return statusAmong(group, atOnce(statusWhenBlocked(group, blocked, now)), {});
}

/**
 * Members are scaled before the status is written if the status already has the earlier replicas of
 * each. After a refusal the status comes first, so that it reports the refusal.
 */
const scalesFirst = ({ refused }: GroupWorld, { isNoted }: DesiredGroup): boolean =>
  isNoted && refused === undefined;

/** A scale without a visible effect is sent again after this time. */
const ASK_AGAIN_MS = 2_000;
/** Refused writes are tried again: rights may be granted, quotas raised. */
const REFUSED_AGAIN_MS = 15_000;

/** Omits members whose last scale is still on its way. */
function dueNow(
  { monotonicMs }: GroupWorld,
  { due }: DesiredGroup,
): { readonly due: readonly FreeMember[]; readonly waitMs: number | undefined } {
  const leftMs = ({ remembered, found, target, scaleRefused }: FreeMember): number => {
    const asked = remembered?.asked;
    if (asked?.replicas !== target) return 0;
    if (scaleRefused === undefined && asked.resourceVersion !== found.resourceVersion) return 0;
    const pauseMs = scaleRefused === undefined ? ASK_AGAIN_MS : REFUSED_AGAIN_MS;
    return asked.atMs + pauseMs - monotonicMs;
  };
  const waits = due.map(leftMs).filter((ms) => ms > 0);
  return {
    due: due.filter((member) => leftMs(member) <= 0),
    waitMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Sets the size of the group once, from its members. */
function sizeSteps(
  world: GroupWorld,
  { spec, size, isPaused, sizeThatFits: replicas }: DesiredGroup,
): readonly Step[] {
  if (size !== undefined || isPaused || spec.policy.type !== 'Manual') return [];
  if (replicas === undefined || missingMembers(world).length > 0) return [];
  const ref = versionedRefOf(world.group.meta);
  return [{ do: 'scale', kind: kinds.SwarmGroup, ref, replicas }];
}

const scaleStep = ({ found, target }: FreeMember): Step => ({
  do: 'scale',
  kind: found.servedAt,
  ref: versionedRefOf(found),
  replicas: target,
});

/** The last size, and earlier ones that a slow watch may still report. */
const MOST_OWN = 8;

function rememberedBy(
  { monotonicMs: atMs }: GroupWorld,
  { members }: DesiredGroup,
  due: readonly FreeMember[],
): ReadonlyMap<string, RememberedMember> {
  const isDue = new Set(due.map(({ key }) => key));
  return new Map(
    members.flatMap(({ key, remembered, found, target, scaleRefused: refused }) => {
      if (remembered === undefined || found === undefined) return [];
      const { own, asked } = remembered;
      const words = refused !== undefined && { refused };
      if (!isDue.has(key))
        return [[key, { ...remembered, ...(asked && { asked: { ...asked, ...words } }) }]];
      const { resourceVersion } = found;
      const now = { replicas: target, resourceVersion, atMs, ...words };
      const sizes = [...own.filter((it) => it !== target), target].slice(-MOST_OWN);
      return [[key, { ...remembered, own: sizes, asked: now }]];
    }),
  );
}

/** One event for all members that are scaled. */
function events({ transition }: DesiredGroup, due: readonly FreeMember[]): readonly GroupEvent[] {
  if (due.length === 0 || transition === undefined) return [];
  const sizes = due
    .slice(0, 5)
    .map(({ key, found, target }) => `${key} ${found.replicas} -> ${target}`)
    .join(', ');
  const more = due.length > 5 ? ` and ${plural(due.length - 5, 'more member')}` : '';
  const back = transition.state === 'RollingBack' ? 'rolling back to' : 'size';
  const size = transition.state === 'RollingBack' ? transition.from : transition.to;
  const message = `${back} ${size}: ${sizes}${more}`;
  return [{ type: 'Normal', reason: 'Scaled', action: 'Scale', message }];
}
