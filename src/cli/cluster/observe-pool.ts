// What is the world of one pool right now? Observed once, by the operator's own controller; nothing
// is written.
import { kinds } from '../../api/kinds.ts';
import { type KubeObject, keyOf } from '../../api/objects.ts';
import type { ProbeAnswer, WorkerProbe } from '../../api/report.ts';
import { runToEnd } from '../../core/work.ts';
import type { PoolWorld } from '../../pool/world.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { systemClock } from '../../runtime/clock.ts';
import { listObjects, notFound } from './connect.ts';

/** What is read of a cluster, or of files in its place. */
export type Source = Pick<KubeApi, 'list' | 'get' | 'serves'>;

/** How long to wait for workers; for those that do not answer, the pool's status speaks. */
const PROBE_MS = 2_500;

/** `probes: false`: workers are not probed. The controller is imported late: it loads slowly. */
export async function observePool(
  source: Source,
  namespace: string,
  name: string,
  options: { readonly probes?: boolean } = {},
): Promise<PoolWorld> {
  const [{ swarmPoolController }, { WorkerProbes }] = await Promise.all([
    import('../../pool/controller.ts'),
    import('../../probes/probes.ts'),
  ]);
  const answered = Promise.withResolvers<void>();
  const pools: string[] = [];
  let probes: readonly WorkerProbe[] = [];
  const key = keyOf({ namespace, name });
  const onChange = (): void => {
    if (probes.every(({ podUid }) => workers.answersOf(key)[podUid] !== undefined))
      answered.resolve();
  };
  const workers = new WorkerProbes({ clock: systemClock, onChange });
  const controller = swarmPoolController({ api: source, clock: systemClock, workers });
  const look = async (): Promise<PoolWorld> => {
    const world = await controller.observe(key, undefined);
    if (world === undefined || world.kind !== 'SwarmPool')
      throw notFound(kinds.SwarmPool, name, namespace, pools.sort());
    return world;
  };
  try {
    for (const { kind, onChange: add } of controller.subscriptions(() => undefined)) {
      for (const object of await listObjects(source, kind, namespace)) {
        if (kind.kind === kinds.SwarmPool.kind) pools.push(object.metadata.name);
        add({ type: 'ADDED', object });
      }
    }
    const world = await look();
    const decision = runToEnd(controller.decide(world, systemClock.now()));
    ({ probes } = decision);
    if (probes.length === 0 || options.probes === false) return world;
    const cancel = systemClock.after(PROBE_MS, answered.resolve);
    controller.follow(key, decision);
    await answered.promise;
    cancel();
    const probed = await look();
    const answers = Object.entries(probed.answers).filter(([, { ok }]) => ok);
    return { ...probed, answers: { ...answersInStatus(probed), ...Object.fromEntries(answers) } };
  } finally {
    await workers.stop();
  }
}

/** What workers last answered to the operator. Status does not say which streams they run. */
function answersInStatus({ pool, pods }: PoolWorld): Readonly<Record<string, ProbeAnswer>> {
  const versions = new Map(
    (pool.status?.workers ?? []).map(({ name, reportedVersion }) => [name, reportedVersion]),
  );
  return Object.fromEntries(
    pods.flatMap(({ name, uid, isReady }): (readonly [string, ProbeAnswer])[] => {
      const version = versions.get(name);
      return isReady && version !== undefined
        ? [[uid, { ok: true, report: { version, isFromStatus: true } }]]
        : [];
    }),
  );
}

/** The same source, with this object in place of the one of its name. */
export function withObject(source: Source, object: KubeObject): Source {
  return {
    get: (kind, ref, options) => source.get(kind, ref, options),
    serves: (kind, options) => source.serves(kind, options),
    list: async (kind, namespace, selectors, options) => {
      const listing = await source.list(kind, namespace, selectors, options);
      if (kind.kind !== object.kind) return listing;
      const present = listing.items.find(({ metadata }) => metadata.name === object.metadata.name);
      const others = listing.items.filter((item) => item !== present);
      return { ...listing, items: [...others, applied(present, object)] };
    },
  };
}

/** Of an object that is not in the cluster. */
export const SUPPOSED_UID = 'supposed';

/** As after `kubectl apply`; a new object is the youngest. */
function applied(present: KubeObject | undefined, object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const fresh = {
    uid: SUPPOSED_UID,
    creationTimestamp: '9999-12-31T23:59:59Z',
    generation: 1,
    resourceVersion: '0',
  };
  const before = present?.metadata ?? { ...fresh, ...object.metadata };
  const metadata = { ...before, annotations: { ...before.annotations, ...annotations } };
  return {
    ...present,
    ...object,
    metadata,
    ...(present !== undefined && { status: present['status'] }),
  };
}
