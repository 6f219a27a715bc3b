// What would the world be with other workers or streams?

import { kinds } from '../../api/kinds.ts';
import { hint } from '../../api/nearest.ts';
import { type Pod, type Target, targetName } from '../../api/observed.ts';
import { type PoolStream, parseSwarmPool } from '../../api/validate.ts';
import { listed } from '../../core/text.ts';
import type { NamedList } from '../streams/streams.ts';
import { sizeWanted } from '../workers/size.ts';
import type { PoolWorld } from '../world.ts';

export type Wish = {
  readonly workers?: number | undefined;
  /** A weight changes a stream that exists. */
  readonly add: readonly { readonly name: string; readonly weight?: number }[];
  readonly remove: readonly string[];
};

/** A text says why it cannot be supposed. A blocked world is returned as it is. */
export function suppose(world: PoolWorld, { workers, add, remove }: Wish): PoolWorld | string {
  const changed = add.length + remove.length === 0 ? world : withStreams(world, add, remove);
  if (typeof changed === 'string') return changed;
  const count = workers ?? grownTo(changed);
  return count === undefined ? changed : withWorkers(changed, count);
}

/** With scaling Auto, a pool scales up at once, and down after a time. */
function grownTo(world: PoolWorld): number | undefined {
  const { wanted = 0, needs } = sizeWanted(world);
  const [target] = world.targets;
  return needs.length > 0 && target !== undefined && wanted > target.replicas ? wanted : undefined;
}

function withStreams(
  world: PoolWorld,
  add: Wish['add'],
  remove: Wish['remove'],
): PoolWorld | string {
  const { spec, meta, status } = world.pool;
  if (!spec.ok) return world;
  const own = spec.value.streams ?? [];
  const present = new Set(listedIn(own, world.lists).map(({ name }) => name));
  const missing = remove.filter((name) => !present.has(name));
  if (missing.length > 0)
    return `${listed(missing)}: not among the ${present.size} streams of SwarmPool ${meta.name}${missing.length === 1 ? hint(missing.join(), present) : ''}`;
  const gone = new Set(remove);
  const weights = new Map(
    add.flatMap(({ name, weight }) => (weight === undefined ? [] : [[name, weight] as const])),
  );
  const changed = (stream: PoolStream): readonly PoolStream[] => {
    if (gone.has(stream.name)) return [];
    const weight = weights.get(stream.name);
    return [weight === undefined ? stream : { ...stream, weight }];
  };
  const streams = [...own.flatMap(changed), ...add.filter(({ name }) => !present.has(name))];
  const parsed = parseSwarmPool({
    apiVersion: '',
    kind: kinds.SwarmPool.kind,
    metadata: { name: meta.name },
    spec: { ...spec.value, streams },
  });
  const lists = world.lists.map((list): NamedList => {
    if (list.read?.ok !== true) return list;
    const { streams: present, lines } = list.read;
    const left = present.flatMap((stream, index) =>
      changed(stream).map((it) => [it, lines[index] ?? 0] as const),
    );
    const read = {
      ok: true,
      streams: left.map(([stream]) => stream),
      lines: Int32Array.from(left, ([, line]) => line),
    } as const;
    return { ...list, read };
  });
  return { ...world, pool: { meta, status, spec: parsed.spec }, lists };
}

/** Of what is to be added: what is there already, just so. */
export function withoutEffect(
  { pool: { spec }, lists }: PoolWorld,
  add: Wish['add'],
): readonly string[] {
  if (!spec.ok) return [];
  const standard = spec.value.streamDefaults.weight;
  const present = new Map(
    listedIn(spec.value.streams, lists).map(({ name, weight = standard }) => [name, weight]),
  );
  return add.flatMap(({ name, weight }) => {
    const has = present.get(name);
    if (has === undefined || (weight !== undefined && weight !== has)) return [];
    return weight === undefined
      ? `${name} is already in the list and stays as it is (${name}=WEIGHT would change its weight)`
      : `${name} is already in the list with weight ${weight} and stays as it is`;
  });
}

const listedIn = (
  own: readonly PoolStream[] = [],
  lists: PoolWorld['lists'],
): readonly PoolStream[] => {
  const inLists = lists.flatMap(({ read }) => (read?.ok === true ? read.streams : []));
  return [...own, ...inLists];
};

/** Existing pods stay; missing ones are added as Ready. */
export function withWorkers(world: PoolWorld, count: number): PoolWorld | string {
  const [target, ...others] = world.targets;
  if (target === undefined) return world;
  if (others.length > 0)
    return `the pool has several targets (${listed(world.targets.map(targetName))}): which of them is meant?`;
  const here = world.pods.filter(({ isTerminating, hasEnded }) => !isTerminating && !hasEnded);
  const pods =
    target.kind === 'Deployment'
      ? slotPods(world, target, here, count)
      : namedPods(target, here, count);
  const targets = [{ ...target, replicas: count }];
  return { ...world, pool: led(world.pool, count), targets, pods };
}

/** A pool that leads would scale its target back to its own size. */
function led(pool: PoolWorld['pool'], replicas: number): PoolWorld['pool'] {
  if (!pool.spec.ok || pool.spec.value.workers.scaling === 'Follow') return pool;
  const { value } = pool.spec;
  const workers = { ...value.workers, scaling: 'Lead' as const, replicas };
  return { ...pool, spec: { ok: true, value: { ...value, workers } } };
}

function namedPods(target: Target, here: readonly Pod[], count: number): readonly Pod[] {
  const byName = new Map(here.map((pod) => [pod.name, pod]));
  return Array.from({ length: count }, (_, index) => {
    const name = `${target.name}-${target.firstOrdinal + index}`;
    return byName.get(name) ?? readyPod(target, name);
  });
}

/** Only the ReplicaSet knows which pods go: those with the highest slots are supposed to. */
function slotPods(
  world: PoolWorld,
  target: Target,
  here: readonly Pod[],
  count: number,
): readonly Pod[] {
  const workloads = world.published.assignment?.workloads;
  const rank = ({ name }: Pod): number => workloads?.get(name)?.slot ?? Number.MAX_SAFE_INTEGER;
  const kept = [...here]
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
    .slice(0, count);
  const more = Array.from({ length: count - kept.length }, (_, index) =>
    readyPod(target, `${target.name}-supposed-${index}`),
  );
  return [...kept, ...more];
}

const readyPod = ({ namespace, uid, mountedConfigMaps }: Target, name: string): Pod => ({
  name,
  namespace,
  uid: `supposed ${name}`,
  resourceVersion: '',
  ownerUid: uid,
  ip: undefined,
  isReady: true,
  isTerminating: false,
  hasEnded: false,
  assigned: undefined,
  deletionCost: undefined,
  ports: {},
  mountedConfigMaps,
});
