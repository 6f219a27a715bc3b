// Which objects of ours, streams and namespaces does a shell offer? It waits for them: where the
// cluster does not answer at once there are none.
import { kinds } from '../../api/kinds.ts';
import type { PoolWorld } from '../../pool/world.ts';
import type { Listing } from '../../runtime/client/api.ts';
import { BATCH } from '../arguments/object-names.ts';
import type { FindNames, WantedNames } from '../arguments/offers.ts';
import { readLabelledJobs } from '../job/labelled.ts';
import { type Cluster, withCluster } from './connect.ts';

/** Requests that go on at the time-out keep the process. */
export const findNamesWithin =
  (timeoutMs: number): FindNames =>
  (wanted) => {
    const { namespace, context, kubeconfig } = wanted;
    const found = withCluster({ namespace, context, kubeconfig }, (cluster) =>
      namesIn(cluster, wanted),
    ).catch(() => []);
    const late = new Promise<readonly string[]>((resolve) => {
      setTimeout(() => resolve([]), timeoutMs).unref();
    });
    return Promise.race([found, late]);
  };

async function namesIn(
  { api, namespace }: Cluster,
  { what, pool }: WantedNames,
): Promise<readonly string[]> {
  switch (what) {
    case 'pool':
      return sortedNames(await api.list(kinds.SwarmPool, namespace));
    case 'group':
      return sortedNames(await api.list(kinds.SwarmGroup, namespace));
    case 'queue':
      return sortedNames(await api.list(kinds.SwarmQueue, namespace));
    case 'job':
      return sortedNames(await api.list(kinds.SwarmJob, namespace));
    case 'job or batch job': {
      const [swarmJobs, labelled] = await Promise.all([
        api.list(kinds.SwarmJob, namespace),
        readLabelledJobs({ api, namespace }, false),
      ]);
      return [...sortedNames(swarmJobs), ...labelled.map(({ name }) => `${BATCH}${name}`).sort()];
    }
    case 'namespace':
      return sortedNames(await api.list(kinds.Namespace, undefined));
    case 'stream': {
      if (pool === undefined) return [];
      const { observePool } = await import('./observe-pool.ts');
      return streamsIn(await observePool(api, namespace, pool, { probes: false }));
    }
    default:
      return what satisfies never;
  }
}

const sortedNames = ({ items }: Listing): readonly string[] =>
  items.map(({ metadata }) => metadata.name).sort();

/** Those of its list, and those that some worker has. */
async function streamsIn({ pool, lists, published }: PoolWorld): Promise<readonly string[]> {
  const { streamsOf } = await import('../../pool/streams/join.ts');
  const list = pool.spec.ok ? streamsOf(pool.spec.value, lists) : undefined;
  const listed = list?.ok === true ? list.streams.map(({ name }) => name) : [];
  const slices = [...(published.assignment?.workloads.values() ?? [])];
  return [...new Set([...listed, ...slices.flatMap(({ jobs }) => jobs)])];
}
