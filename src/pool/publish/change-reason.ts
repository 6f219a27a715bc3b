// Why does the assignment change?
import { ANYTHING, type Slice } from '../../api/assignment.ts';
import type { ChangeReason } from '../reasons.ts';
import { hasJobs, type Member } from '../workers/members.ts';
import { isEdited } from './notes.ts';
import { hasMoved, isCurrent } from './places.ts';
import type { PublishInput } from './publication.ts';

/** Several reasons may hold: the first counts. */
export function reasonOf(input: PublishInput, isRestored: boolean): ChangeReason {
  const { previous, members, streams, jobs, hadUnassigned, wasPublished } = input;
  if (previous === undefined) return wasPublished ? 'AssignmentLost' : 'FirstPublication';
  if (isRestored) return 'AssignmentRestored';
  if (input.found.some((it) => isCurrent(input, it) && isEdited(it))) return 'AssignmentMended';
  if (hasMoved(input)) return 'AssignmentMoved';
  const slices = [...previous.workloads.values()];
  const before = new Set(slices.flatMap((slice) => [...slice.jobs, ...(slice.releasing ?? [])]));
  // Streams of a lost publication are given anew.
  if (before.has(ANYTHING)) return 'HandoffContinued';
  const listed = new Set(streams.map(({ name }) => name));
  if ([...before].some((name) => !listed.has(name))) return 'StreamsChanged';
  const known = new Set(members.map(({ from }) => from));
  if (
    [...previous.workloads.keys()].some((worker) => !known.has(worker)) ||
    known.size !== previous.workloads.size
  )
    return 'WorkersChanged';
  if (members.some((member) => member.hasFailed && hasJobs(member.before))) return 'WorkerMissing';
  if (members.some(({ name, from }) => name !== from)) return 'WorkerReplaced';
  // Streams that had no room before may have found some.
  if (!hadUnassigned && [...jobs.values()].some((given) => given.some((name) => !before.has(name))))
    return 'StreamsChanged';
  if (
    slices.some(hasReleasing) &&
    !members.some((member) => loses(member, new Set(jobs.get(member.name))))
  )
    return 'HandoffContinued';
  return members.some((member) => member.hasJoined !== hasJobs(member.before))
    ? 'WorkersChanged'
    : 'StreamsChanged';
}

const loses = ({ before }: Member, kept: ReadonlySet<string>): boolean =>
  before?.jobs.some((job) => !kept.has(job)) === true;

const hasReleasing = (slice: Slice | undefined): boolean => (slice?.releasing?.length ?? 0) > 0;
