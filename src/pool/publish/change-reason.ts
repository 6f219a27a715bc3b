// Why does the assignment change?
import { ANYTHING, type Slice } from '../../api/assignment.ts';
import type { ChangeReason } from '../reasons.ts';
import { hasJobs } from '../workers/workers.ts';
import { isEdited } from './notes.ts';
import { hasMoved, isCurrent } from './places.ts';
import type { PublishInput } from './publication.ts';
import { wasPublished } from './versions.ts';

/** Several reasons may hold: the first counts. */
export function reasonOf(input: PublishInput, isRestored: boolean): ChangeReason {
  const { world, checked, shards, workers, jobs } = input;
  const { pool, published } = world;
  const previous = published.assignment?.workloads;
  if (previous === undefined) return wasPublished(world) ? 'AssignmentLost' : 'FirstPublication';
  if (isRestored) return 'AssignmentRestored';
  if (published.shards.some((it) => isCurrent(shards, it) && isEdited(it)))
    return 'AssignmentMended';
  if (hasMoved(input)) return 'AssignmentMoved';
  const slices = [...previous.values()];
  const before = new Set(slices.flatMap((slice) => [...slice.jobs, ...(slice.releasing ?? [])]));
  // Streams of a lost publication are given anew.
  if (before.has(ANYTHING)) return 'HandoffContinued';
  const listed = new Set(checked.streams.map(({ name }) => name));
  if ([...before].some((name) => !listed.has(name))) return 'StreamsChanged';
  const known = new Set(workers.map(({ from }) => from));
  if ([...previous.keys()].some((worker) => !known.has(worker)) || known.size !== previous.size)
    return 'WorkersChanged';
  if (workers.some((worker) => worker.hasFailed && hasJobs(worker.before))) return 'WorkerMissing';
  if (workers.some(({ name, from }) => name !== from)) return 'WorkerReplaced';
  // Streams that had no room before may have found some.
  const hadUnassigned = (pool.status?.streams?.unassigned ?? 0) > 0;
  if (!hadUnassigned && [...jobs.values()].some((given) => given.some((name) => !before.has(name))))
    return 'StreamsChanged';
  const keepsAll = ({ name, before: slice }: (typeof workers)[number]): boolean => {
    const kept = new Set(jobs.get(name));
    return slice?.jobs.every((job) => kept.has(job)) !== false;
  };
  if (slices.some(isReleasing) && workers.every(keepsAll)) return 'HandoffContinued';
  return workers.some((worker) => worker.hasJoined !== hasJobs(worker.before))
    ? 'WorkersChanged'
    : 'StreamsChanged';
}

const isReleasing = ({ releasing = [] }: Slice): boolean => releasing.length > 0;
