// What wakes a SwarmPool, and what is its world?
import type { Slice } from '../api/assignment.ts';
import { kinds, metadataOf } from '../api/kinds.ts';
import { type KubeObject, keyOf, type Ref, refOf } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import { parseSwarmPool, type SwarmPool } from '../api/validate.ts';
import { isSameJson } from '../core/json.ts';
import { ANNOTATION_WHEN_DELETED, LABEL_POOL } from '../core/meta.ts';
import { decidePool } from '../core/pool/decide.ts';
import { decideFailed } from '../core/pool/failed.ts';
import { decideOrphan, type OrphanWorld } from '../core/pool/orphan.ts';
import { believedAnswer, believedPod } from '../core/pool/publish/belief.ts';
import { publishedNow, shardsOf } from '../core/pool/publish/published.ts';
import { distrustedAfter, failoverRules, isSuspended, mayBeGivenUp, type Presence } from '../core/pool/workers/failover.ts';
import { type Answer, hasJobs } from '../core/pool/workers/members.ts';
import { leadsTarget, seatsOf } from '../core/pool/workers/seats.ts';
import type { PoolWorld } from '../core/pool/world.ts';
import type { KubeApi } from '../kube/api.ts';
import { Cache } from '../kube/cache.ts';
import type { Clock } from '../kube/clock.ts';
import type { Creations } from '../sources/creations.ts';
import type { Workers } from '../sources/workers.ts';
import { ConfigMaps } from './config-maps.ts';
import type { Controller } from './controller.ts';
import { FirstWords } from './first-words.ts';
import { FormerWorkers } from './former-workers.ts';
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
};

export function swarmPoolController({ api, clock, workers, creations }: SwarmPoolOptions): Controller<PoolWorld | OrphanWorld> {
  /** A status that is written anew leaves the spec the same object: what was concluded from it still holds. */
  const parsePool = (object: KubeObject): SwarmPool => {
    const pool = parseSwarmPool(object);
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
  const targets = new Targets();
  const configMaps = new ConfigMaps(api, (pool) => pools.get(pool)?.status?.version ?? 0);
  const sightings = new Sightings(clock);
  const distrusted = new Map<string, readonly string[]>();
  const readings = new Readings();
  const firstWords = new FirstWords();
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

  return {
    name: 'SwarmPool',

    subscriptions: (wake) => {
      const wakeAll = (found: readonly SwarmPool[]): void => {
        for (const { meta } of found) wake(keyOf(meta));
      };
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
      const published = await formerWorkers.published(pool);
      const lists = pool.spec.ok ? await publications.lists(namespace, pool.spec.value) : [];
      const predecessor = await formerWorkers.predecessorOf(pool);
      // From here on nothing is awaited: all is of one moment.
      const found = targets.meantBy(pool);
      const record = pool.status?.version ?? 0;
      const owned = found.flatMap((target) => targets.podsOf(target)).map((pod) => believedPod(pod, record));
      const { assignment, neverReady } = publishedNow(published);
      const slices = assignment?.workloads ?? new Map<string, Slice>();
      const formerPods = formerWorkers.podsOf(pool, published, owned).map((pod) => believedPod(pod, record));
      const watched = [...owned, ...formerPods];
      const autoscaler = found.map((target) => targets.autoscalerOf(target)).find((name) => name !== undefined);
      const seats = pool.spec.ok
        ? seatsOf({
            spec: pool.spec.value,
            targets: found,
            pods: owned,
            formerPods,
            previous: assignment,
            leads: leadsTarget(pool.spec.value, autoscaler),
          })
        : [];
      const wanted = seats.filter(({ isDesired }) => isDesired);
      const desired = wanted.map((seat) => seat.key);
      const isReady = new Set(wanted.flatMap((seat) => (seat.pod?.isReady === true && !seat.pod.isTerminating ? [seat.key] : [])));
      const before = distrusted.get(key) ?? [];
      const unproven = wanted.filter(
        ({ key: seat, from, pod }) => pool.spec.ok && !isReady.has(seat) && neverReady.has(from) && mayBeGivenUp(pool.spec.value, pod),
      );
      // One that has never been Ready has nothing that could pass to others.
      const known = wanted
        .filter((seat) => !unproven.includes(seat))
        .filter((seat) => isReady.has(seat.key) || before.includes(seat.key) || hasJobs(slices.get(seat.from)))
        .map((seat) => seat.key);
      const away = known.filter((seat) => !isReady.has(seat));
      const rules = pool.spec.ok ? failoverRules(pool.spec.value) : undefined;
      const answers = believedAnswers(workers.answersOf(key), record);
      const uids = owned.map(({ uid }) => uid);
      const isUntold = (assignment?.version ?? 0) > (pool.status?.version ?? 0);
      const seen = sightings.round(key, (age) => ({
        ages: {
          publishedMs: age('published', published.map(({ configMap }) => `${configMap.uid} ${configMap.resourceVersion}`).join()),
          sliceMs: Object.fromEntries(watched.map((pod) => [pod.uid, age(`slice ${pod.uid}`, String(slices.get(pod.name)?.version))])),
          annotatedMs: Object.fromEntries(watched.map((pod) => [pod.uid, age(`annotation ${pod.uid}`, pod.assigned ?? '')])),
          answersMs: age('answers', saidBy(answers)),
          untoldMs: isUntold ? age('untold', '') : 0,
          statusMs: age('status', progressIn(pool.status)),
        },
        presenceMs: new Map(known.map((seat) => [seat, age(`presence ${seat}`, String(isReady.has(seat)))])),
        calmMs: age('calm', String(!isSuspended(away.length, known.length, rules?.most))),
        neverReadyMs: Object.fromEntries(unproven.map(({ key: seat }) => [seat, age(`never Ready ${seat}`, '')])),
      }));
      const since = (seat: string): number => seen.presenceMs.get(seat) ?? 0;
      const presence: Presence = {
        missingMs: Object.fromEntries(away.map((seat) => [seat, Math.min(since(seat), seen.calmMs)])),
        readyMs: Object.fromEntries([...isReady].map((seat) => [seat, since(seat)])),
        neverReadyMs: seen.neverReadyMs,
        distrusted: before,
      };
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
        endingPods: formerWorkers.endingOf(pool, published, [...owned, ...formerPods]),
        published,
        highestSeen: Math.max(configMaps.highestNoted(pool.meta), firstWords.highest(key, uids, answers)),
        lists,
        answers,
        ages: seen.ages,
        unasked: workers.unaskedOf(key),
        presence,
        refused,
      };
    },

    decide: (world, now) => {
      if (!('pool' in world)) return decideOrphan(world);
      const decision = decidePool(world, now);
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
      if (pools.get(ref) === undefined) release(ref.namespace ?? '', configMaps.ofPool(ref));
    },
  };
}

/** Mostly all are, and then it stays the same object. */
function believedAnswers(answers: Readonly<Record<string, Answer>>, record: number): Readonly<Record<string, Answer>> {
  const lies = Object.entries(answers).filter(([, answer]) => believedAnswer(answer, record) !== answer);
  return lies.length === 0
    ? answers
    : { ...answers, ...Object.fromEntries(lies.map(([uid, answer]) => [uid, believedAnswer(answer, record)])) };
}

/** A worker that comes up, confirms or goes silent changes it. */
const saidBy = (answers: Readonly<Record<string, Answer>>): string =>
  Object.entries(answers)
    .map(([uid, answer]) => `${uid} ${answer.ok ? `${answer.report.version} ${answer.report.read ?? ''}` : ''}`)
    .join();

/** What status tells, without the names of streams. */
const progressIn = (status: SwarmPool['status']): string =>
  JSON.stringify([
    status?.version,
    status?.readyReplicas,
    status?.convergedReplicas,
    status?.conditions,
    status?.workers?.map(({ name, state, message, version, reportedVersion }) => [name, state, message, version, reportedVersion]),
  ]);

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
