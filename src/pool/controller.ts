// What wakes a SwarmPool, and what follows from a decision besides its steps?
import { kinds } from '../api/kinds.ts';
import { keyOf, type Ref, refOf } from '../api/objects.ts';
import type { SwarmPool } from '../api/validate.ts';
import { ANNOTATION_CHANGE, LABEL_POOL } from '../core/meta.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { KubeApi } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Creations } from '../runtime/creations.ts';
import type { Controller } from '../runtime/engine/controller.ts';
import { Thread } from '../runtime/queue/thread.ts';
import type { Marks } from '../runtime/store/config-maps.ts';
import { makeStore, type Store } from '../runtime/store/store.ts';
import type { Change } from '../runtime/watch/change.ts';
import { decideInPieces } from './decide.ts';
import type { PoolDecision } from './decision.ts';
import { decideFailed } from './failed.ts';
import { PoolCaches } from './observe/caches.ts';
import { configMapsOf } from './observe/pools.ts';
import type { Reader } from './observe/texts/long-texts.ts';
import { observePool, type PoolSources } from './observe.ts';
import { decideOrphan, type OrphanWorld } from './orphan.ts';
import { nothingRemembered, type Remembered } from './remembered.ts';
import type { PoolWorld } from './world.ts';

/** What marks the ConfigMaps of pools. */
export const poolMarks: Marks = { label: LABEL_POOL, annotation: ANNOTATION_CHANGE };

type SwarmPoolOptions = {
  readonly api: Pick<KubeApi, 'get' | 'list' | 'serves'>;
  readonly clock: Clock;
  /** What is cached for all kinds; left out: one of its own. */
  readonly store?: Store;
  readonly workers: WorkerProbes;
  /** Left out: why pods are missing is not asked. */
  readonly creations?: Creations;
  /** On which turns long texts are read, and worlds put together; left out: one of its own. */
  readonly thread?: Thread;
  /** Reads long texts on another thread; left out: on this one. */
  readonly reader?: Reader;
  /** Bytes that all pools together may take in memory; left out: any number. */
  readonly memory?: number;
};

export function swarmPoolController(
  options: SwarmPoolOptions,
): Required<Controller<PoolWorld | OrphanWorld, PoolDecision>> {
  const { api, clock, workers, creations, thread = new Thread(options) } = options;
  let wakeOwners: (pods: readonly Ref[]) => void = () => undefined;
  let wake: (key: string) => void = () => undefined;
  const wakeAll = (found: readonly SwarmPool[]): void => {
    for (const { meta } of found) wake(keyOf(meta));
  };
  const caches = new PoolCaches({
    api,
    store: options.store ?? makeStore(api, poolMarks),
    thread,
    reader: options.reader,
    memory: options.memory ?? Number.POSITIVE_INFINITY,
    wake: (key) => wake(key),
    onNamed: (pods) => wakeOwners(pods),
  });
  const { workloads, configMaps, pools, departed, formerWorkers } = caches;
  /** By key: what the last decision left to remember. */
  const remembered = new Map<string, Remembered>();

  const takePool = (change: Change): void => {
    const { before, after } = pools.apply(change);
    const key = keyOf(change.object.metadata);
    if (after === undefined) {
      departed.add(key);
      caches.memory.forget(refOf(key));
      formerWorkers.forget(refOf(key));
    } else departed.delete(key);
    wake(key);
    // A rival for a target may have to stand back now, or need no longer.
    if (before?.spec === after?.spec) return;
    if (before !== undefined) caches.release(before.meta.namespace, configMapsOf(before));
    for (const pool of [before, after])
      if (pool !== undefined)
        wakeAll(caches.rivalsOf(pool).filter(({ meta }) => meta.uid !== pool.meta.uid));
  };
  const takeConfigMap = ({ type, object }: Change): void => {
    if (type !== 'DELETED') caches.noted.note(object);
    wakeAll(pools.by('configMap', keyOf(object.metadata)));
    const { namespace = '', labels } = object.metadata;
    const pool = keyOf({ namespace, name: labels?.[LABEL_POOL] ?? '' });
    const isThere = pools.get(refOf(pool)) !== undefined;
    // Also where the pool does not say: a leader that froze may have written there, and the version
    // goes on from it.
    if (isThere || departed.has(pool)) wake(pool);
    if (type === 'DELETED' && !isThere) caches.forgetNoted(refOf(pool));
  };
  const sources: PoolSources = { api, clock, thread, caches, workers, creations, onPool: takePool };

  return {
    name: 'SwarmPool',

    subscriptions: (wakeKey) => {
      wake = wakeKey;
      wakeOwners = (pods) =>
        wakeAll(
          pods
            .flatMap((pod) => workloads.ownersOf(workloads.pod(pod)))
            .flatMap((target) => caches.poolsOf(target)),
        );
      workloads.listen({
        onWorkloads: (changed) => wakeAll(changed.flatMap((target) => caches.poolsOf(target))),
        onPod: (pod, before, after) => {
          for (const key of formerWorkers.poolsNaming(pod)) wake(key);
          const places = caches.told.note(pod, before, after);
          wakeAll(places.flatMap((place) => pools.by('configMap', place)));
        },
        onAutoscalers: (autoscalers) => {
          for (const { namespace, targetKind, targetName: name } of autoscalers)
            if (targetKind === kinds.SwarmPool.kind) wake(keyOf({ namespace, name }));
        },
      });
      configMaps.listen(takeConfigMap);
      return [
        ...workloads.subscriptions,
        configMaps.subscription,
        { kind: kinds.SwarmPool, slim: (object) => pools.slim(object), onChange: takePool },
      ];
    },

    keys: () => [...pools.keys(), ...departed],

    observe: (key, refused) =>
      observePool(sources, key, {
        refused,
        remembered: remembered.get(key) ?? nothingRemembered,
      }),
    decide: function* (world, now) {
      return world.kind === 'DeletedSwarmPool'
        ? decideOrphan(world)
        : yield* decideInPieces(world, now);
    },
    decideFailed: (key, refused, now) => {
      const pool = pools.get(refOf(key));
      return pool === undefined ? undefined : decideFailed(pool, refused, now);
    },
    close: () => workers.stop(),
    paused: () => {
      workers.forgetAll();
      creations?.forgetAll();
    },

    follow: (key, decision) => {
      remembered.set(key, decision.remembered);
      caches.readings.expect(decision);
      workers.probe(key, decision.probes);
      creations?.follow(key, decision.lacking);
    },
    facts: ({ version }) => ({ version }),

    doubt: (kind, ref) => {
      if (kind.kind === 'ConfigMap') configMaps.release(ref);
    },

    forget: (key) => {
      const ref = refOf(key);
      const isThere = pools.get(ref) !== undefined;
      workers.probe(key, []);
      creations?.follow(key, []);
      departed.delete(key);
      formerWorkers.forget(ref);
      caches.memory.forget(ref);
      caches.publications.forget(ref);
      // The first word of a worker stays the first, whoever leads meanwhile.
      const firstVersions = remembered.get(key)?.firstVersions ?? new Map();
      if (isThere) remembered.set(key, { ...nothingRemembered, firstVersions });
      else {
        remembered.delete(key);
        caches.forgetNoted(ref);
        caches.release(ref.namespace ?? '', configMaps.labelled(ref));
      }
    },
  };
}
