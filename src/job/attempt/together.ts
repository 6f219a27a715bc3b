// When do the ranks of a gang begin that start together? Each waits in its pod until it has the
// addresses of all.
import { ANNOTATION_ADDRESSES, completedRanks } from '../../api/batch-job.ts';
import type { Step } from '../../core/decision.ts';
import type { JobWorld } from '../world.ts';
import { isThere, podsOfBatchJob, waitingRanks } from './ranks.ts';

type Pods = Pick<JobWorld, 'batchJob' | 'pods'>;

/** In the list of addresses: a rank that has ended, and whose pod is gone. */
const NO_ADDRESS = '-';

const hasBegun = (world: Pods): boolean =>
  podsOfBatchJob(world).some(({ hasAddresses }) => hasAddresses) ||
  (world.batchJob !== undefined && completedRanks(world.batchJob).length > 0);

/**
 * The addresses of all ranks, in order; undefined: not all are there. Once one rank has begun, the
 * gang was whole, and the others follow, whatever has ended since.
 */
function addressesOf(world: Pods): readonly string[] | undefined {
  const own = podsOfBatchJob(world);
  const { parallelism: size = 0 } = world.batchJob ?? {};
  const there = new Set(own.filter(isThere).map(({ rank }) => rank));
  if (there.size < size && !hasBegun(world)) return undefined;
  const byRank = new Map(own.map(({ rank, ip }) => [rank, ip]));
  return Array.from({ length: size }, (_, rank) => byRank.get(rank) ?? NO_ADDRESS);
}

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
