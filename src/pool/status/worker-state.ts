// In which state is a worker, and why?
import { ANYTHING, readAssigned, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { WorkerReport } from '../../api/report.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../../api/validate.ts';
import { listed, plural } from '../../core/meta.ts';
import type { DesiredState } from '../desired-state.ts';
import { hasConverged, isVerified, runsJust } from '../refresh/convergence.ts';
import { portOf } from '../refresh/probes.ts';
import { failoverRules } from '../workers/failover.ts';
import { hasJobs, type Member } from '../workers/members.ts';

export type WorkerStatus = NonNullable<SwarmPoolStatus['workers']>[number];

export function stateOf(
  { spec, workers: { failover, notCreated } }: DesiredState,
  member: Member,
  slice: Slice | undefined,
  waitedMs: number,
): Pick<WorkerStatus, 'state' | 'message'> {
  const { pod, answer, hasJoined, hasFailed, key } = member;
  const kept = slice?.releasing ?? [];
  const cause = pod?.trouble ?? notCreated[key];
  const why = cause === undefined ? '' : ` (${cause})`;
  const stays = hasJoined && failover.isSuspended ? staysText(spec) : '';
  if (hasFailed)
    return {
      state: 'Missing',
      message: `${failover.givenUp.has(key) ? 'never Ready yet' : 'away for too long'}${why}, its streams passed to others`,
    };
  if (pod?.hasEnded === true) return { state: 'Missing', message: 'its pod has ended' };
  if (kept.length > 0 && pod !== undefined)
    return { state: 'Releasing', message: releasingMessage(member, slice) };
  if (isVerified([member], new Map(slice === undefined ? [] : [[member.name, slice]])))
    return { state: member.isCordoned ? 'Cordoned' : 'Converged' };
  if (!member.isDesired && pod !== undefined)
    return { state: 'Releasing', message: leavingMessage(member, pod, slice) };
  if (pod === undefined) {
    return hasJoined
      ? { state: 'Missing', message: `it has no pod${why}${stays}` }
      : { state: 'Pending', message: `its pod is not there yet${why}` };
  }
  if (pod.isTerminating) return { state: 'Pending', message: `its pod is ending${stays}` };
  if (!pod.isReady) return { state: 'Pending', message: `its pod is not Ready${why}${stays}` };
  if (member.isOutdated) return { state: 'Refreshing', message: 'its pod waits to be replaced' };
  if (waitedMs < spec.refresh.timeoutSeconds * 1000) return { state: 'Refreshing' };
  return { state: 'Stuck', message: stuckMessage(member, slice, answer, spec) };
}

const staysText = (spec: SwarmPoolSpec): string =>
  `; its streams stay with it while more than ${failoverRules(spec).most} of the workers are away (spec.workers.failover.maxUnavailable)`;

/** Exclusive: no other worker gets the streams that it has not released. */
function releasingMessage(member: Member, slice: Slice | undefined): string {
  const { releasing: kept = [] } = slice ?? {};
  if (kept.includes(ANYTHING))
    return `may yet take up what it was told before the assignment was lost${silence(member)}`;
  if (hasConverged(member, slice))
    return `has let go of ${listed(kept)}, which is still to be published`;
  return `has not confirmed that it let go of ${listed(kept)}${silence(member)}`;
}

/** It is to run nothing, and has not confirmed that. */
function leavingMessage(member: Member, { isTerminating }: Pod, slice: Slice | undefined): string {
  if (member.isFormer && hasJobs(slice))
    return 'belongs to no target any more; it keeps its streams until a worker of the target is Ready';
  const what = isTerminating
    ? 'its pod is ending'
    : member.isFormer
      ? 'belongs to no target any more'
      : 'it is emptied before it goes';
  return `${what}; it has not confirmed that nothing runs there${unanswered(member)}`;
}

const unanswered = ({ answer }: Member): string =>
  answer?.ok === false ? `; it does not answer (${answer.reason})` : '';

const silence = (member: Member): string =>
  `${unanswered(member)}${member.pod?.isTerminating === true ? '; its pod is ending' : ''}`;

const hasConfirmed = (
  last: WorkerReport | undefined,
  slice: Slice | undefined,
): last is WorkerReport =>
  last !== undefined &&
  slice !== undefined &&
  last.version >= slice.version &&
  (last.jobs === undefined || runsJust(last, slice));

const silent = ({ version }: WorkerReport, reason: string): string =>
  `it confirmed version ${version} and does not answer any more: ${reason}`;

function stuckMessage(
  { pod }: Member,
  slice: Slice | undefined,
  answer: Member['answer'],
  spec: SwarmPoolSpec,
): string {
  const wants = `version ${slice?.version ?? 0} is not confirmed after ${spec.refresh.timeoutSeconds} s`;
  if (pod !== undefined && portOf(pod, spec.probe.httpGet.port) === undefined) {
    return `${wants}: its pod has no port named ${spec.probe.httpGet.port} (spec.probe.httpGet.port)`;
  }
  if (answer === undefined) return `${wants}: it was not asked yet`;
  if (!answer.ok)
    return hasConfirmed(answer.last, slice)
      ? silent(answer.last, answer.reason)
      : `${wants}: ${answer.reason}`;
  if (answer.report.read === slice?.version)
    return `${wants}: it has read it, and is still at version ${answer.report.version}`;
  const told = readAssigned(pod?.assigned)?.attempt ?? 0;
  const what =
    answer.report.version < (slice?.version ?? 0)
      ? `it answers version ${answer.report.version}`
      : 'it runs other streams than it was assigned';
  return `${wants}: ${what} (told ${plural(told, 'time')})`;
}
