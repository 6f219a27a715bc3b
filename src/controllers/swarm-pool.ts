// What wakes a SwarmPool, and what is its world?
import type { Size } from '../api/bounds.ts';
import { kinds, metadataOf } from '../api/kinds.ts';
import { type KubeObject, keyOf, type Ref, refOf } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import { parseSwarmPool, type SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { isSameJson } from '../core/json.ts';
import { ANNOTATION_WHEN_DELETED, LABEL_POOL } from '../core/meta.ts';
import { deciding } from '../core/pool/decide.ts';
import { decideFailed } from '../core/pool/failed.ts';
import { decideOrphan, type OrphanWorld } from '../core/pool/orphan.ts';
import { believedAnswers, believedPod } from '../core/pool/publish/belief.ts';
import { publishedNow, shardsOf } from '../core/pool/publish/published.ts';
import { forgetStreams } from '../core/pool/streams.ts';
import { distrustedAfter, failoverRules } from '../core/pool/workers/failover.ts';
import { leadsTarget, seatsOf } from '../core/pool/workers/seats.ts';
import { type PoolWorld, worldWithoutRoom } from '../core/pool/world.ts';
import type { KubeApi } from '../kube/api.ts';
import { Cache } from '../kube/cache.ts';
import type { Clock } from '../kube/clock.ts';
import { Thread } from '../kube/thread.ts';
import type { Creations } from '../sources/creations.ts';
import type { Workers } from '../sources/workers.ts';
import { agesOf, presenceOf, type Seen } from './ages.ts';
import { ConfigMaps } from './config-maps.ts';
import type { Controller } from './controller.ts';
import { FirstWords } from './first-words.ts';
import { FormerWorkers } from './former-workers.ts';
import { Holdings } from './holdings.ts';
import { Kept } from './kept.ts';
import { notMade } from './not-made.ts';
import { Publications } from './publications.ts';
import { Readings } from './readings.ts';
import { Sightings } from './sightings.ts';
import { isSelected, placesOf, soughtUnder, Targets } from './targets.ts';

export type SwarmPoolOptions = {
  readonly api: Pick<KubeApi, 'get' | 'serves'>;
  readonly clock: Clock;
  readonly workers: Workers;
  /** Left out: why pods are missing is not asked. */
  readonly creations?: Creations;
  /** On which turns long texts are read, and worlds put together; left out: one of its own. */
  readonly thread?: Thread;
  /** Bytes that all pools together may take in memory; left out: any number. */
  readonly memory?: number;
};

export function swarmPoolController(options: SwarmPoolOptions): Controller<PoolWorld | OrphanWorld> {
  const { api, clock, workers, creations, thread = new Thread(options), memory = Number.POSITIVE_INFINITY } = options;
  /** A status that is written anew leaves the spec the same object: what was concluded from it still holds. */
  const parsePool = (object: KubeObject): SwarmPool => {
    const pool = thread.now(object.metadata.namespace ?? '', () => parseSwarmPool(object));
    const before: SwarmPool | undefined = pools.get(object.metadata);
    // A generation is given anew when etcd is restored from a snapshot.
    const isSameSpec = before?.meta.generation === pool.meta.generation && isSameJson(before.spec, pool.spec);
    return isSameSpec ? { ...pool, spec: before.spec } : pool;
  };
  const pools = new Cache(parsePool, {
    sought: soughtUnder,
    configMap: (pool: SwarmPool) => configMapsOf(pool).map((name) => keyOf({ namespace: pool.meta.namespace, name })),
    exclusiveIn: ({ meta, spec }: SwarmPool) => (spec.ok && spec.value.handoff.type === 'Exclusive' ? [meta.namespace] : []),
  });
  let wakeOwners: (pods: readonly Ref[]) => void = () => undefined;
  let wakeOne: (key: string) => void = () => undefined;
  const targets = new Targets();
  const configMaps = new ConfigMaps(api, (pool) => pools.get(pool)?.status?.version ?? 0);
  const sightings = new Sightings(clock);
  const distrusted = new Map<string, readonly string[]>();
  const readings = new Readings(thread);
  const firstWords = new FirstWords();
  const kept = new Kept(new Holdings({ most: memory, onChange: (key) => wakeOne(key) }), configMaps);
  const publications = new Publications(configMaps, readings);
  const formerWorkers = new FormerWorkers({
    targets,
    publications,
    poolAt: (key) => pools.get(refOf(key)),
    exclusivePoolsIn: (namespace) => pools.by('exclusiveIn', namespace),
    highestNoted: (pool) => configMaps.highestNoted(pool),
    onNamed: (pods) => wakeOwners(pods),
  });

  /** Seen here, and gone since: whoever was not there when it went cannot tell what else was deleted with it. */
  const departed = new Set<string>();

  const poolsOf = (target: Target): readonly SwarmPool[] =>
    placesOf(target).flatMap((place) => pools.by('sought', place).filter((pool) => isSelected(pool, target)));

  const rivalsOf = (pool: SwarmPool): readonly SwarmPool[] =>
    targets.meantBy(pool).flatMap((target) => poolsOf(target).filter((other) => targets.meantBy(other).includes(target)));

  /** Nothing when there is nothing to be removed with it. */
  const orphanOf = async (key: string): Promise<OrphanWorld | undefined> => {
    const pool = refOf(key);
    if (!departed.has(key)) return undefined;
    const found = await Promise.all(configMaps.ofPool(pool).map((name) => configMaps.get({ ...pool, name })));
    const marked = found.filter((it) => it !== undefined).filter(({ annotations }) => annotations[ANNOTATION_WHEN_DELETED] === 'Delete');
    if (marked.length === 0) return undefined;
    const goneMs = sightings.round(key, (age) => age('gone', ''));
    return { marked, goneMs, isServed: await api.serves(kinds.SwarmPool) };
  };

  /** Lists and assignments can be long: what no pool refers to is not kept. */
  const release = (namespace: string, names: readonly string[]): void => {
    for (const name of names) {
      if (pools.by('configMap', keyOf({ namespace, name })).length > 0) continue;
      configMaps.release({ namespace, name });
      readings.forget({ namespace, name });
    }
  };

  /** Nothing of it stays in memory but the object itself, and what others read as well. */
  const withoutRoom = (pool: SwarmPool, excess: string, refused: Refusal | undefined): PoolWorld => {
    const { namespace } = pool.meta;
    if (pool.spec.ok) forgetStreams(pool.spec.value);
    for (const name of [...configMapsOf(pool), ...configMaps.ofPool(pool.meta)]) {
      const place = { namespace, name };
      if (!pools.by('configMap', keyOf(place)).some(({ meta }) => kept.holds(meta))) configMaps.release(place);
    }
    return worldWithoutRoom(pool, targets.meantBy(pool), excess, refused);
  };

  type Read = Pick<PoolWorld, 'published' | 'lists' | 'predecessor' | 'refused'>;

  /** Nothing is awaited: all is of one moment. */
  const worldOf = (key: string, pool: SwarmPool, { published, lists, predecessor, refused }: Read): PoolWorld => {
    const found = targets.meantBy(pool);
    const record = pool.status?.version ?? 0;
    const owned = found.flatMap((target) => targets.podsOf(target)).map((pod) => believedPod(pod, record));
    const now = publishedNow(published);
    const formerPods = formerWorkers.podsOf(pool, published, owned).map((pod) => believedPod(pod, record));
    const autoscaler = found.map((target) => targets.autoscalerOf(target)).find((name) => name !== undefined);
    const seats = pool.spec.ok
      ? seatsOf({
          spec: pool.spec.value,
          targets: found,
          pods: owned,
          formerPods,
          previous: now.assignment,
          leads: leadsTarget(pool.spec.value, autoscaler),
        })
      : [];
    const wanted = seats.filter(({ isDesired }) => isDesired);
    const desired = wanted.map((seat) => seat.key);
    const rules = pool.spec.ok ? failoverRules(pool.spec.value) : undefined;
    const answers = believedAnswers(workers.answersOf(key), record);
    const uids = owned.map(({ uid }) => uid);
    const seen: Seen = {
      pool,
      published,
      now,
      wanted,
      pods: [...owned, ...formerPods],
      answers,
      distrusted: distrusted.get(key) ?? [],
    };
    const { ages, presence } = sightings.round(key, (age) => ({ ages: agesOf(seen, age), presence: presenceOf(seen, age) }));
    distrusted.set(key, rules === undefined ? [] : distrustedAfter(desired, presence, rules));
    return {
      pool,
      targets: found,
      lookalikes: targets.lookalikesOf(pool),
      rival: rivalOf(pool, rivalsOf(pool)),
      predecessor,
      autoscaler,
      notMade: notMade(found, wanted, (sets) => creations?.follow(key, sets)),
      ownAutoscaler: targets.autoscalerOfPool(pool),
      pods: owned,
      formerPods,
      endingPods: formerWorkers.endingOf(pool, published, seen.pods),
      published,
      highestSeen: Math.max(configMaps.highestNoted(pool.meta), firstWords.highest(key, uids, answers)),
      lists,
      answers,
      ages,
      unasked: workers.unaskedOf(key),
      presence,
      refused,
    };
  };

  return {
    name: 'SwarmPool',

    subscriptions: (wake) => {
      const wakeAll = (found: readonly SwarmPool[]): void => {
        for (const { meta } of found) wake(keyOf(meta));
      };
      wakeOne = wake;
      wakeOwners = (pods) => wakeAll(pods.flatMap((pod) => targets.ownersOf(targets.pod(pod))).flatMap(poolsOf));
      return [
        ...targets.subscriptions(
          (changed) => wakeAll(changed.flatMap(poolsOf)),
          (pod, places) => {
            for (const key of formerWorkers.poolsNaming(pod)) wake(key);
            wakeAll(places.flatMap((place) => pools.by('configMap', place)));
          },
          (pool) => wake(keyOf(pool)),
        ),
        {
          kind: kinds.SwarmPool,
          onChange: (change) => {
            const { before, after } = pools.apply(change);
            const key = keyOf(change.object.metadata);
            if (after === undefined) {
              departed.add(key);
              formerWorkers.forget(refOf(key));
            } else departed.delete(key);
            wake(key);
            // A rival for a target may have to stand back now, or need no longer.
            if (before?.spec === after?.spec) return;
            if (before !== undefined) release(before.meta.namespace, configMapsOf(before));
            for (const pool of [before, after])
              if (pool !== undefined) wakeAll(rivalsOf(pool).filter(({ meta }) => meta.uid !== pool.meta.uid));
          },
        },
        {
          kind: metadataOf(kinds.ConfigMap),
          onChange: (change) => {
            configMaps.apply(change);
            wakeAll(pools.by('configMap', keyOf(change.object.metadata)));
            const { namespace = '', labels } = change.object.metadata;
            const pool = keyOf({ namespace, name: labels?.[LABEL_POOL] ?? '' });
            const isThere = pools.get(refOf(pool)) !== undefined;
            // Also where the pool does not say: a leader that froze may have written there, and the version goes on from it.
            if (isThere || departed.has(pool)) wake(pool);
            if (change.type === 'DELETED' && !isThere) configMaps.forgetNoted(refOf(pool));
          },
        },
      ];
    },

    keys: () => [...pools.keys(), ...departed],

    gather: async (key, refused) => {
      const pool = pools.get(refOf(key));
      if (pool === undefined) return orphanOf(key);
      const { namespace } = pool.meta;
      const refusedAtOnce = kept.excess(pool, targets.meantBy(pool));
      if (refusedAtOnce !== undefined) return withoutRoom(pool, refusedAtOnce, refused);
      const published = await formerWorkers.published(pool);
      let excess: string | undefined;
      const hasRoom = (size: Size): boolean => {
        excess = kept.excessOfTexts(pool, targets.meantBy(pool), size, published);
        return excess === undefined;
      };
      const lists = pool.spec.ok ? await publications.lists(namespace, pool.spec.value, hasRoom) : [];
      if (lists === undefined) return withoutRoom(pool, excess ?? '', refused);
      kept.parsed(pool, targets.meantBy(pool), lists);
      const predecessor = await formerWorkers.predecessorOf(pool);
      return await thread.piece(namespace, () => worldOf(key, pool, { published, lists, predecessor, refused }));
    },

    decide: function* (world, now) {
      if (!('pool' in world)) return decideOrphan(world);
      const decision = yield* deciding(world, now);
      readings.expect(decision);
      return decision;
    },
    decideFailed: (key, refused, now) => {
      const pool = pools.get(refOf(key));
      return pool === undefined ? undefined : decideFailed(pool, refused, now);
    },
    ask: (key, asks) => workers.ask(key, asks),

    doubt: (kind, ref) => {
      if (kind.kind === 'ConfigMap') configMaps.release(ref);
    },

    forget: (key) => {
      workers.ask(key, []);
      creations?.follow(key, []);
      sightings.forget(key);
      formerWorkers.forget(refOf(key));
      distrusted.delete(key);
      if (pools.get(refOf(key)) === undefined) {
        configMaps.forgetNoted(refOf(key));
        firstWords.forget(key);
      }
      departed.delete(key);
      const ref = refOf(key);
      kept.forget(ref);
      if (pools.get(ref) === undefined) release(ref.namespace ?? '', configMaps.ofPool(ref));
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

/** The oldest keeps the target; of two made in the same second, the one with the smaller name. */
function rivalOf(pool: SwarmPool, claimants: readonly SwarmPool[]): string | undefined {
  const rank = ({ meta }: SwarmPool): string => `${meta.creationTimestamp} ${meta.name}`;
  const older = claimants.filter((other) => other.meta.uid !== pool.meta.uid && !other.meta.isDeleting && rank(other) < rank(pool));
  return older.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]?.meta.name;
}
