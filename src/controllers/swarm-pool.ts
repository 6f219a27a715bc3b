// What wakes a SwarmPool, and what is its world?
import { type ReadAssignment, readAssignment, type Slice } from '../api/assignment.ts';
import { kinds, metadataOf } from '../api/kinds.ts';
import { keyOf, refOf } from '../api/objects.ts';
import {
  type Autoscaler,
  type ConfigMap,
  type Pod,
  parseAutoscaler,
  parsePod,
  parseStatefulSet,
  type StatefulSet,
} from '../api/observed.ts';
import { type ReadStreamList, readStreamList } from '../api/stream-list.ts';
import { parseSwarmPool, type SwarmPool, type SwarmPoolSpec } from '../api/validate.ts';
import { decidePool } from '../core/pool/decide.ts';
import { distrustedAfter, failoverAfterMs, type Presence } from '../core/pool/failover.ts';
import { desiredNames } from '../core/pool/members.ts';
import { type PublishedShard, publishedNow, shardsOf } from '../core/pool/published.ts';
import { type NamedList, sourceOf } from '../core/pool/streams.ts';
import type { PoolWorld } from '../core/pool/world.ts';
import type { KubeApi } from '../kube/api.ts';
import { Cache } from '../kube/cache.ts';
import type { Clock } from '../kube/clock.ts';
import type { Workers } from '../sources/workers.ts';
import { ConfigMaps } from './config-maps.ts';
import type { Controller } from './controller.ts';
import { Sightings } from './sightings.ts';

export type SwarmPoolOptions = { readonly api: KubeApi; readonly clock: Clock; readonly workers: Workers };

export function swarmPoolController({ api, clock, workers }: SwarmPoolOptions): Controller<PoolWorld> {
  const pools = new Cache(parseSwarmPool, {
    namespace: (pool: SwarmPool) => [pool.meta.namespace],
    configMap: (pool: SwarmPool) => configMapsOf(pool).map((name) => keyOf({ namespace: pool.meta.namespace, name })),
  });
  const statefulSets = new Cache(parseStatefulSet, {
    namespace: (set: StatefulSet) => [set.namespace],
    uid: (set: StatefulSet) => [set.uid],
  });
  const pods = new Cache(parsePod, { owner: (pod: Pod) => (pod.ownerUid === undefined ? [] : [pod.ownerUid]) });
  const autoscalers = new Cache(parseAutoscaler, { target: (it: Autoscaler) => [`${it.namespace}/${it.targetKind}/${it.targetName}`] });
  const configMaps = new ConfigMaps(api);
  const sightings = new Sightings(clock);
  const distrusted = new Map<string, readonly string[]>();
  const readings = new WeakMap<ConfigMap, Map<string, ReadAssignment>>();

  const poolsOf = (set: StatefulSet): readonly SwarmPool[] => pools.by('namespace', set.namespace).filter((pool) => targets(pool, set));

  /** A long assignment is parsed once, not at each look. */
  const read = (configMap: ConfigMap, key: string): ReadAssignment | undefined => {
    const text = configMap.data[key];
    if (text === undefined) return undefined;
    const known = readings.get(configMap) ?? new Map<string, ReadAssignment>();
    readings.set(configMap, known);
    const reading = known.get(key) ?? readAssignment(text);
    known.set(key, reading);
    return reading;
  };

  /** Long lists are parsed once, too; the source is part of what a problem says. */
  const lists = new WeakMap<ConfigMap, Map<string, ReadStreamList>>();
  const readList = (configMap: ConfigMap, key: string): ReadStreamList | undefined => {
    const text = configMap.data[key];
    if (text === undefined) return undefined;
    const known = lists.get(configMap) ?? new Map<string, ReadStreamList>();
    lists.set(configMap, known);
    const read = known.get(key) ?? readStreamList(text, sourceOf({ name: configMap.name, key }));
    known.set(key, read);
    return read;
  };

  /** Under its names, and whatever else it wrote: with another number of shards, the assignment goes on from there. */
  const publishedOf = async ({ namespace, name }: SwarmPool['meta'], spec: SwarmPoolSpec): Promise<readonly PublishedShard[]> => {
    const shards = shardsOf(name, spec);
    const others = configMaps.ofPool({ namespace, name }).filter((other) => !shards.some((shard) => shard.name === other));
    const current = await Promise.all(
      shards.map(async (shard) => {
        const configMap = await configMaps.get({ namespace, name: shard.name });
        return configMap === undefined ? [] : [{ ...shard, configMap, read: read(configMap, shard.key) }];
      }),
    );
    const earlier = await Promise.all(
      others.map(async (other) => {
        const configMap = await configMaps.get({ namespace, name: other });
        return Object.keys(configMap?.data ?? {}).flatMap((key) =>
          configMap === undefined ? [] : [{ name: other, key, configMap, read: read(configMap, key) }],
        );
      }),
    );
    return [...current.flat(), ...earlier.flat().filter(({ read: reading }) => reading?.ok === true)];
  };

  const namedLists = async (namespace: string, spec: SwarmPoolSpec): Promise<readonly NamedList[]> =>
    Promise.all(
      (spec.streamsFrom ?? []).map(async ({ configMapKeyRef: { name, key } }) => {
        const configMap = await configMaps.get({ namespace, name });
        return { source: sourceOf({ name, key }), read: configMap === undefined ? undefined : readList(configMap, key) };
      }),
    );

  return {
    name: 'SwarmPool',

    subscriptions: (wake) => {
      const wakeAll = (found: readonly SwarmPool[]): void => {
        for (const { meta } of found) wake(keyOf(meta));
      };
      const wakeRivals = (pool: SwarmPool | undefined): void => {
        if (pool === undefined) return;
        const claimed = statefulSets.by('namespace', pool.meta.namespace).filter((set) => targets(pool, set));
        for (const set of claimed) wakeAll(poolsOf(set).filter(({ meta }) => meta.uid !== pool.meta.uid));
      };
      return [
        {
          kind: kinds.SwarmPool,
          onChange: (change) => {
            const { before, after } = pools.apply(change);
            wake(keyOf(change.object.metadata));
            // A rival for a target may have to stand back now, or need no longer.
            if (before?.meta.generation !== after?.meta.generation) for (const pool of [before, after]) wakeRivals(pool);
          },
        },
        {
          kind: kinds.StatefulSet,
          onChange: (change) => {
            const { before, after } = statefulSets.apply(change);
            for (const set of [before, after]) if (set !== undefined) wakeAll(poolsOf(set));
          },
        },
        {
          kind: kinds.Pod,
          onChange: (change) => {
            const { before, after } = pods.apply(change);
            const owners = new Set([before?.ownerUid, after?.ownerUid].filter((uid) => uid !== undefined));
            for (const uid of owners) for (const set of statefulSets.by('uid', uid)) wakeAll(poolsOf(set));
          },
        },
        {
          kind: kinds.HorizontalPodAutoscaler,
          onChange: (change) => {
            const { before, after } = autoscalers.apply(change);
            for (const { namespace, targetName } of [before, after].filter((it) => it !== undefined)) {
              const set = statefulSets.get({ namespace, name: targetName });
              if (set !== undefined) wakeAll(poolsOf(set));
            }
          },
        },
        {
          kind: metadataOf(kinds.ConfigMap),
          onChange: (change) => {
            configMaps.apply(change);
            wakeAll(pools.by('configMap', keyOf(change.object.metadata)));
          },
        },
      ];
    },

    keys: () => [...pools.keys()],

    gather: async (key, refused) => {
      const pool = pools.get(refOf(key));
      if (pool === undefined) return undefined;
      const { namespace } = pool.meta;
      const found = statefulSets
        .by('namespace', namespace)
        .filter((set) => !set.isDeleting && targets(pool, set))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const owned = found.flatMap((set) => pods.by('owner', set.uid));
      const published = pool.spec.ok ? await publishedOf(pool.meta, pool.spec.value) : [];
      const slices = publishedNow(published).assignment?.workloads ?? new Map<string, Slice>();
      const desired = found.flatMap(desiredNames);
      const isReady = new Set(owned.filter((pod) => pod.isReady && !pod.isTerminating).map((pod) => pod.name));
      const seen = sightings.round(key, (age) => ({
        ages: {
          publishedMs: age('published', published.map(({ configMap }) => `${configMap.uid} ${configMap.resourceVersion}`).join()),
          sliceMs: Object.fromEntries(owned.map((pod) => [pod.uid, age(`slice ${pod.uid}`, String(slices.get(pod.name)?.version))])),
          annotatedMs: Object.fromEntries(owned.map((pod) => [pod.uid, age(`annotation ${pod.uid}`, pod.assigned ?? '')])),
        },
        presentMs: desired.map((name) => [name, age(`presence ${name}`, String(isReady.has(name)))] as const),
      }));
      const presence: Presence = {
        missingMs: Object.fromEntries(seen.presentMs.filter(([name]) => !isReady.has(name))),
        readyMs: Object.fromEntries(seen.presentMs.filter(([name]) => isReady.has(name))),
        distrusted: distrusted.get(key) ?? [],
      };
      distrusted.set(key, pool.spec.ok ? distrustedAfter(desired, presence, failoverAfterMs(pool.spec.value)) : []);
      return {
        pool,
        targets: found,
        rival: rivalOf(pool, found.flatMap(poolsOf)),
        autoscaler: found.flatMap((set) => autoscalers.by('target', `${namespace}/StatefulSet/${set.name}`))[0]?.name,
        pods: owned,
        published,
        lists: pool.spec.ok ? await namedLists(namespace, pool.spec.value) : [],
        answers: workers.answersOf(key),
        ages: seen.ages,
        presence,
        refused,
      };
    },

    decide: decidePool,
    ask: (key, asks) => workers.ask(key, asks),

    forget: (key) => {
      workers.ask(key, []);
      sightings.forget(key);
      distrusted.delete(key);
    },
  };
}

/** The ConfigMaps that matter to a pool: its own, and those with lists. */
function configMapsOf({ meta, spec }: SwarmPool): readonly string[] {
  if (!spec.ok) return [];
  return [
    ...shardsOf(meta.name, spec.value).map(({ name }) => name),
    ...(spec.value.streamsFrom ?? []).map((from) => from.configMapKeyRef.name),
  ];
}

/** Does the pool mean this StatefulSet? */
function targets(pool: SwarmPool, set: StatefulSet): boolean {
  if (!pool.spec.ok || pool.meta.namespace !== set.namespace) return false;
  const { selector, targetRef, kind } = pool.spec.value.workers;
  if ((kind ?? targetRef?.kind ?? 'StatefulSet') !== 'StatefulSet') return false;
  if (targetRef !== undefined) return targetRef.name === set.name;
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([key, value]) => set.labels[key] === value);
}

/** The oldest keeps the target; of two made in the same second, the one with the smaller name. */
function rivalOf(pool: SwarmPool, claimants: readonly SwarmPool[]): string | undefined {
  const rank = ({ meta }: SwarmPool): string => `${meta.creationTimestamp} ${meta.name}`;
  const older = claimants.filter((other) => other.meta.uid !== pool.meta.uid && !other.meta.isDeleting && rank(other) < rank(pool));
  return older.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]?.meta.name;
}
