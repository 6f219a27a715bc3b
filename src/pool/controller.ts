// What wakes a SwarmPool, and what is its world?
import type { Size } from '../api/bounds.ts';
import { kinds, metadataOf } from '../api/kinds.ts';
import { keyOf, type Ref, refOf } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import { slimConfigMap } from '../api/slim.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { ANNOTATION_CHANGE, ANNOTATION_WHEN_DELETED, LABEL_POOL } from '../core/meta.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { KubeApi } from '../runtime/client/api.ts';
import { KubeError } from '../runtime/client/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Creations } from '../runtime/creations.ts';
import type { Controller } from '../runtime/engine/controller.ts';
import { Thread } from '../runtime/queue/thread.ts';
import { StateAges } from '../runtime/state-ages.ts';
import type { Change } from '../runtime/watch/watcher.ts';
import { decideInPieces } from './decide.ts';
import type { PoolDecision } from './decision.ts';
import { decideFailed } from './failed.ts';
import { agesOf, presenceOf, type Seen } from './observe/ages.ts';
import { ConfigMaps } from './observe/config-maps.ts';
import { FirstVersions } from './observe/first-versions.ts';
import { FormerWorkers } from './observe/former-workers.ts';
import { PoolMemory } from './observe/memory/kept.ts';
import { notCreated } from './observe/not-created.ts';
import { configMapsOf, isWithheld, PoolStore } from './observe/pools.ts';
import { Publications } from './observe/publications.ts';
import { isSelected, placesOf, Targets } from './observe/targets.ts';
import type { Reader } from './observe/texts/long-texts.ts';
import { Readings } from './observe/texts/readings.ts';
import { decideOrphan, type OrphanWorld } from './orphan.ts';
import { believedAnswers, believedPod } from './publish/belief.ts';
import { distrustedAfter, failoverRules } from './workers/failover.ts';
import { scalesTarget, seatsOf } from './workers/seats.ts';
import { type PoolWorld, worldWithoutRoom } from './world.ts';

export type SwarmPoolOptions = {
  readonly api: Pick<KubeApi, 'get' | 'list' | 'serves'>;
  readonly clock: Clock;
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
): Controller<PoolWorld | OrphanWorld, PoolDecision> {
  const {
    api,
    clock,
    workers,
    creations,
    thread = new Thread(options),
    memory = Number.POSITIVE_INFINITY,
  } = options;
  let wakeOwners: (pods: readonly Ref[]) => void = () => undefined;
  let wake: (key: string) => void = () => undefined;
  const wakeAll = (found: readonly SwarmPool[]): void => {
    for (const { meta } of found) wake(keyOf(meta));
  };
  const targets = new Targets();
  const configMaps = new ConfigMaps(api, (pool) => pools.get(pool)?.status?.version ?? 0);
  const sightings = new StateAges(clock);
  const distrusted = new Map<string, readonly string[]>();
  const readings = new Readings(thread, options.reader);
  const firstWords = new FirstVersions();
  const kept: PoolMemory = new PoolMemory({
    configMaps,
    most: memory,
    onChange: (key) => wake(key),
    onSpec: (key) => {
      const pool = pools.get(refOf(key));
      // At once, also where nothing is decided: in a replica that does not lead.
      if (pool !== undefined && !isWithheld(pool) && !kept.hasRoom(pool.meta, pools.sizeOf(pool)))
        pools.withhold(pool);
      wake(key);
    },
    sizeOf: (pool) => pools.sizeOf(pool),
  });
  const pools: PoolStore = new PoolStore({
    api,
    thread,
    hasRoom: (pool, size) => kept.hasRoom(pool, size),
  });
  const publications = new Publications(configMaps, readings, thread);
  const formerWorkers = new FormerWorkers({
    targets,
    publications,
    poolAt: (key) => pools.get(refOf(key)),
    exclusivePoolsIn: (namespace) => pools.by('exclusiveIn', namespace),
    highestNoted: (pool) => configMaps.highestNoted(pool),
    onNamed: (pods) => wakeOwners(pods),
  });

  /**
   * Seen here, and gone since: whoever was not there when it went cannot tell what else was deleted
   * with it.
   */
  const departed = new Set<string>();

  const poolsOf = (target: Target): readonly SwarmPool[] =>
    placesOf(target).flatMap((place) =>
      pools.by('sought', place).filter((pool) => isSelected(pool, target)),
    );

  const rivalsOf = (pool: SwarmPool): readonly SwarmPool[] =>
    targets
      .meantBy(pool)
      .flatMap((target) =>
        poolsOf(target).filter((other) => targets.meantBy(other).includes(target)),
      );

  /** Nothing when there is nothing to be removed with it. */
  const orphanOf = async (key: string): Promise<OrphanWorld | undefined> => {
    const pool = refOf(key);
    if (!departed.has(key)) return undefined;
    const found = await Promise.all(
      configMaps.ofPool(pool).map((name) => configMaps.get({ ...pool, name })),
    );
    const marked = found
      .filter((it) => it !== undefined)
      .filter(({ annotations }) => annotations[ANNOTATION_WHEN_DELETED] === 'Delete');
    if (marked.length === 0) return undefined;
    const goneMs = sightings.round(key, (age) => age('gone', ''));
    return {
      kind: 'DeletedSwarmPool',
      marked,
      goneMs,
      isServed: await api.serves(kinds.SwarmPool),
    };
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
  const withoutRoom = (
    pool: SwarmPool,
    excess: string,
    refused: Refusal | undefined,
  ): PoolWorld => {
    const { namespace } = pool.meta;
    for (const name of [...configMapsOf(pool), ...configMaps.ofPool(pool.meta)]) {
      const place = { namespace, name };
      if (!pools.by('configMap', keyOf(place)).some(({ meta }) => kept.holds(meta)))
        configMaps.release(place);
    }
    return worldWithoutRoom(pools.withhold(pool), targets.meantBy(pool), excess, refused);
  };

  type Read = Pick<PoolWorld, 'published' | 'lists' | 'predecessor' | 'refused'>;

  /** Nothing is awaited: all is of one moment. */
  const worldOf = (
    key: string,
    pool: SwarmPool,
    { published, lists, predecessor, refused }: Read,
  ): PoolWorld => {
    const found = targets.meantBy(pool);
    const record = pool.status?.version ?? 0;
    const owned = found
      .flatMap((target) => targets.podsOf(target))
      .map((pod) => believedPod(pod, record));
    const formerPods = formerWorkers
      .podsOf(pool, published, owned)
      .map((pod) => believedPod(pod, record));
    const autoscaler = found
      .map((target) => targets.autoscalerOf(target))
      .find((name) => name !== undefined);
    const seats = pool.spec.ok
      ? seatsOf({
          spec: pool.spec.value,
          targets: found,
          pods: owned,
          formerPods,
          previous: published.assignment,
          leads: scalesTarget(pool.spec.value, autoscaler),
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
      wanted,
      pods: [...owned, ...formerPods],
      answers,
      distrusted: distrusted.get(key) ?? [],
    };
    const { ages, presence } = sightings.round(key, (age) => ({
      ages: agesOf(seen, age),
      presence: presenceOf(seen, age),
    }));
    distrusted.set(key, rules === undefined ? [] : distrustedAfter(desired, presence, rules));
    return {
      kind: 'SwarmPool',
      pool,
      targets: found,
      lookalikes: targets.lookalikesOf(pool),
      rival: rivalOf(pool, rivalsOf(pool)),
      predecessor,
      autoscaler,
      notCreated: notCreated(found, wanted, (sets) => creations?.follow(key, sets)),
      ownAutoscaler: targets.autoscalerOfPool(pool),
      pods: owned,
      formerPods,
      endingPods: formerWorkers.endingOf(pool, published, seen.pods),
      published,
      highestSeen: Math.max(
        configMaps.highestNoted(pool.meta),
        firstWords.highest(key, uids, answers),
      ),
      lists,
      answers,
      ages,
      unprobed: workers.unprobedOf(key),
      presence,
      refused,
    };
  };

  const takePool = (change: Change): void => {
    const { before, after } = pools.apply(change);
    const key = keyOf(change.object.metadata);
    if (after === undefined) {
      departed.add(key);
      kept.forget(refOf(key));
      formerWorkers.forget(refOf(key));
    } else departed.delete(key);
    wake(key);
    // A rival for a target may have to stand back now, or need no longer.
    if (before?.spec === after?.spec) return;
    if (before !== undefined) release(before.meta.namespace, configMapsOf(before));
    for (const pool of [before, after])
      if (pool !== undefined)
        wakeAll(rivalsOf(pool).filter(({ meta }) => meta.uid !== pool.meta.uid));
  };

  /** With its streams: there is room for them. */
  const whole = async (pool: SwarmPool): Promise<SwarmPool> => {
    if (!isWithheld(pool)) return pool;
    takePool(await pools.whole(pool));
    const found = pools.get(pool.meta);
    if (found !== undefined && !isWithheld(found)) return found;
    throw new KubeError(
      'Unavailable',
      `SwarmPool ${keyOf(pool.meta)}: what there was room for was taken meanwhile`,
    );
  };

  return {
    name: 'SwarmPool',

    subscriptions: (wakeKey) => {
      wake = wakeKey;
      wakeOwners = (pods) =>
        wakeAll(pods.flatMap((pod) => targets.ownersOf(targets.pod(pod))).flatMap(poolsOf));
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
          slim: (object) => pools.slim(object),
          onChange: (change) => takePool(change),
        },
        {
          kind: metadataOf(kinds.ConfigMap),
          slim: (object) =>
            'data' in object ? object : slimConfigMap(object, LABEL_POOL, ANNOTATION_CHANGE),
          onChange: (change) => {
            configMaps.apply(change);
            wakeAll(pools.by('configMap', keyOf(change.object.metadata)));
            const { namespace = '', labels } = change.object.metadata;
            const pool = keyOf({ namespace, name: labels?.[LABEL_POOL] ?? '' });
            const isThere = pools.get(refOf(pool)) !== undefined;
            // Also where the pool does not say: a leader that froze may have written there, and the
            // version goes on from it.
            if (isThere || departed.has(pool)) wake(pool);
            if (change.type === 'DELETED' && !isThere) configMaps.forgetNoted(refOf(pool));
          },
        },
      ];
    },

    keys: () => [...pools.keys(), ...departed],

    observe: async (key, refused) => {
      const known = pools.get(refOf(key));
      if (known === undefined) return orphanOf(key);
      const refusedAtOnce = kept.excess(known, targets.meantBy(known));
      if (refusedAtOnce !== undefined) return withoutRoom(known, refusedAtOnce, refused);
      const pool = await whole(known);
      const { namespace } = pool.meta;
      const published = await formerWorkers.published(pool);
      let excess: string | undefined;
      const hasRoom = (size: Size): boolean => {
        excess = kept.excessOfTexts(pool, targets.meantBy(pool), size, published);
        return excess === undefined;
      };
      const lists = pool.spec.ok
        ? await publications.lists(pool.meta, pool.spec.value, hasRoom)
        : [];
      if (lists === undefined) return withoutRoom(pool, excess ?? '', refused);
      kept.parsed(pool, targets.meantBy(pool), lists);
      const predecessor = await formerWorkers.predecessorOf(pool);
      return await thread.piece(namespace, () =>
        worldOf(key, pool, { published, lists, predecessor, refused }),
      );
    },

    decide: function* (world, now) {
      if (world.kind === 'DeletedSwarmPool') return decideOrphan(world);
      const decision = yield* decideInPieces(world, now);
      readings.expect(decision);
      return decision;
    },
    decideFailed: (key, refused, now) => {
      const pool = pools.get(refOf(key));
      return pool === undefined ? undefined : decideFailed(pool, refused, now);
    },
    follow: (key, { probes }) => workers.probe(key, probes),
    facts: ({ version }) => ({ version }),

    doubt: (kind, ref) => {
      if (kind.kind === 'ConfigMap') configMaps.release(ref);
    },

    forget: (key) => {
      workers.probe(key, []);
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
      publications.forget(ref);
      if (pools.get(ref) === undefined) release(ref.namespace ?? '', configMaps.ofPool(ref));
    },
  };
}

/** The oldest keeps the target; of two made in the same second, the one with the smaller name. */
function rivalOf(pool: SwarmPool, claimants: readonly SwarmPool[]): string | undefined {
  const rank = ({ meta }: SwarmPool): string => `${meta.creationTimestamp} ${meta.name}`;
  const older = claimants.filter(
    (other) =>
      other.meta.uid !== pool.meta.uid && !other.meta.isDeleting && rank(other) < rank(pool),
  );
  return older.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]?.meta.name;
}
