// When do the ranks of a gang begin that start together? Each waits in its pod until it has the
// addresses of all.
import { ANNOTATION_ADDRESSES, completedRanks } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import type { Step } from '../../core/decision.ts';
import type { JobWorld } from '../world.ts';
import { isThere, podsOfBatchJob, waitingRanks } from './ranks.ts';

type Pods = Pick<JobWorld, 'batchJob' | 'pods'>;

/** In the list of addresses: a rank that has ended, and whose pod is gone. */
const NO_ADDRESS = '-';

/**
 * The addresses of all ranks, in order; undefined: not all are there. Once one rank has addresses,
 * the gang was whole, and the others follow, whatever has ended since.
 */
function addressesOf(world: Pods): readonly string[] | undefined {
  const { batchJob } = world;
  if (batchJob === undefined) return undefined;
  const own = podsOfBatchJob(world);
  const completed = completedRanks(batchJob);
  const isReleased = completed.length > 0 || own.some(({ hasAddresses }) => hasAddresses);
  const there = new Set([
    ...own.filter(isReleased ? hasStarted : isThere).map(({ rank }) => rank),
    ...completed,
  ]);
  if (there.size < batchJob.parallelism) return undefined;
  const byRank = new Map(own.map(({ rank, ip }) => [rank, ip]));
  return Array.from({ length: batchJob.parallelism }, (_, rank) => byRank.get(rank) ?? NO_ADDRESS);
}

const hasStarted = ({ hasBegun }: JobPod): boolean => hasBegun;

/** Writes the addresses to each rank that waits for them, which also wakes its kubelet. */
export function togetherSteps(world: Pods): readonly Step[] {
  const waiting = waitingRanks(world);
  const addresses = waiting.length === 0 ? undefined : addressesOf(world);
  if (addresses === undefined) return [];
  const annotations = { [ANNOTATION_ADDRESSES]: addresses.map((it) => `${it}\n`).join('') };
  return waiting.map(({ name, namespace, uid }) => ({
    do: 'annotate',
    pod: { name, namespace, uid },
    annotations,
  }));
}
