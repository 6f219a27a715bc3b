// Worlds of a pool for tests: which streams, workers and answers are there?
import { readAssigned, type Slice } from '../../src/api/assignment.ts';
import type { KubeObject } from '../../src/api/objects.ts';
import type { Pod, Target } from '../../src/api/observed.ts';
import { parseSwarmPool } from '../../src/api/validate.ts';
import type { Decision, Step } from '../../src/core/decision.ts';
import type { States } from '../../src/core/state-ages.ts';
import { publishedNow } from '../../src/pool/publish/published.ts';
import type { Presence } from '../../src/pool/workers/availability.ts';
import { nothingRemembered, type PoolWorld, type PublishedShard } from '../../src/pool/world.ts';

export const nothingPublished = publishedNow([]);

export const withShards = (at: PoolWorld, shards: readonly PublishedShard[]): PoolWorld => ({
  ...at,
  published: publishedNow(shards),
});

export const NOW = Date.parse('2026-01-01T00:00:00Z');

export type Shape = {
  readonly streams?: number | readonly string[] | readonly object[];
  readonly workers?: number;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly mounts?: readonly string[];
  readonly firstOrdinal?: number;
};

export const streamNames = (count: number, prefix = 's'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

function streamList(streams: Shape['streams'] = 4): readonly object[] {
  const list = typeof streams === 'number' ? streamNames(streams) : streams;
  return list.map((stream) => (typeof stream === 'string' ? { name: stream } : stream));
}

/**
 * A pool `tv` in namespace `swarm` on a StatefulSet `worker`, all pods Ready, without a publication
 * yet.
 */
export function world(shape: Shape = {}): PoolWorld {
  const object: KubeObject = {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: {
      name: 'tv',
      namespace: 'swarm',
      uid: 'pool-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: shape.annotations ?? {},
    },
    spec: {
      streams: streamList(shape.streams),
      workers: { selector: { matchLabels: { app: 'worker' } } },
      ...shape.spec,
    },
  };
  const target = statefulSet(shape);
  return {
    kind: 'SwarmPool',
    pool: parseSwarmPool(object),
    targets: [target],
    otherKindTargets: [],
    rival: undefined,
    predecessor: undefined,
    autoscaler: undefined,
    pods: Array.from({ length: target.replicas }, (_, index) => pod(target.firstOrdinal + index)),
    formerPods: [],
    endingPods: [],
    published: nothingPublished,
    highestSeen: 0,
    lists: [],
    answers: {},
    ages: {
      publishedMs: 0,
      sliceMs: {},
      unconfirmedMs: {},
      annotatedMs: {},
      answersMs: 0,
      statusLagMs: 0,
      statusMs: 60_000,
    },
    unprobed: new Set(),
    remembered: nothingRemembered,
    monotonicMs: 1_000_000_000,
    creationFailures: new Map(),
    refused: undefined,
  };
}

function statefulSet({
  workers = 2,
  mounts = ['tv-assignments'],
  firstOrdinal = 0,
}: Shape): Target {
  return {
    kind: 'StatefulSet',
    name: 'worker',
    namespace: 'swarm',
    uid: 'set-uid',
    resourceVersion: '1',
    labels: { app: 'worker' },
    podLabels: { app: 'worker' },
    replicas: workers,
    firstOrdinal,
    selector: 'app=worker',
    isDeleting: false,
    mountedConfigMaps: mounts,
    mountsAssigned: true,
    size: { generation: 1, observedGeneration: 1, present: workers, ready: workers },
    memberAnnotations: {},
    revision: '',
  };
}

export function pod(ordinal: number, change: Partial<Pod> = {}): Pod {
  return {
    name: `worker-${ordinal}`,
    namespace: 'swarm',
    uid: `uid-${ordinal}`,
    resourceVersion: '1',
    ownerUid: 'set-uid',
    ip: `127.1.0.${ordinal + 1}`,
    isReady: true,
    isTerminating: false,
    hasEnded: false,
    assigned: undefined,
    deletionCost: undefined,
    ports: {},
    mountedConfigMaps: ['tv-assignments'],
    ...change,
  };
}

export const withStreams = (at: PoolWorld, streams: Shape['streams']): PoolWorld =>
  withSpec(at, { streams: streamList(streams) });

export function withSpec(at: PoolWorld, change: Readonly<Record<string, unknown>>): PoolWorld {
  const { meta, spec, status } = at.pool;
  if (!spec.ok) throw new Error('the spec of this world is not valid');
  const generation = meta.generation + 1;
  const { isDeleting: _, ...identity } = meta;
  const object = {
    apiVersion: '',
    kind: '',
    metadata: { ...identity, generation },
    spec: { ...spec.value, ...change },
    status,
  };
  return { ...at, pool: parseSwarmPool(object) };
}

/**
 * Scales the StatefulSet; new pods exist, but are not Ready by default; removed ones are gone at
 * once.
 */
export function scaled(at: PoolWorld, workers: number, change: Partial<Pod> = {}): PoolWorld {
  const [target] = at.targets;
  if (target === undefined) throw new Error('this world has no target');
  const present = new Map(at.pods.map((it) => [it.name, it]));
  const pods = Array.from({ length: workers }, (_, index) => {
    const ordinal = target.firstOrdinal + index;
    return present.get(`worker-${ordinal}`) ?? pod(ordinal, change);
  });
  return { ...at, targets: [{ ...target, replicas: workers }], pods };
}

/** The pool names another StatefulSet; the pods of the earlier one live on. */
export function retargeted(
  at: PoolWorld,
  name: string,
  workers = at.targets[0]?.replicas ?? 0,
  change: Partial<Pod> = {},
): PoolWorld {
  const [target] = at.targets;
  if (target === undefined) throw new Error('this world has no target');
  const uid = `${name}-uid`;
  const pods = Array.from({ length: workers }, (_, ordinal) =>
    pod(ordinal, {
      name: `${name}-${ordinal}`,
      uid: `${name}-uid-${ordinal}`,
      ownerUid: uid,
      ...change,
    }),
  );
  const { formerPods } = withoutTarget(at);
  return {
    ...at,
    targets: [{ ...target, name, uid, resourceVersion: '1', replicas: workers }],
    pods,
    formerPods,
  };
}

/** The pool has no target any more; pods that the assignment names live on. */
export function withoutTarget(at: PoolWorld): PoolWorld {
  const named = slicesOf(at);
  const formerPods = [...at.pods, ...at.formerPods].filter(({ name }) => named.has(name));
  return { ...at, targets: [], pods: [], formerPods };
}

export const everyPod = ({ pods, formerPods }: PoolWorld): readonly Pod[] => [
  ...pods,
  ...formerPods,
];

export const toPods = (at: PoolWorld, change: (it: Pod) => Pod): PoolWorld => ({
  ...at,
  pods: at.pods.map(change),
  formerPods: at.formerPods.map(change),
});

export const workersOf = (at: PoolWorld): object =>
  at.pool.spec.ok ? at.pool.spec.value.workers : {};

export const withPod = (at: PoolWorld, ordinal: number, change: Partial<Pod>): PoolWorld =>
  toPods(at, (it) => (it.name === `worker-${ordinal}` ? { ...it, ...change } : it));

export const slicesOf = (at: PoolWorld): ReadonlyMap<string, Slice> =>
  at.published.assignment?.workloads ?? new Map();

export const versionOf = (at: PoolWorld): number => at.published.assignment?.version ?? 0;

/** Worker -> streams, from the ConfigMap. */
export const jobsOf = (at: PoolWorld): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...slicesOf(at)].map(([worker, { jobs }]) => [worker, jobs]));

/** How long the leader has seen workers away or Ready, by key. */
export function withPresence(
  at: PoolWorld,
  { missingMs = {}, readyMs = {}, neverReadyMs = {}, distrusted = [] }: Partial<Presence>,
): PoolWorld {
  const since = (prefix: string, value: string, ages: Readonly<Record<string, number>>) =>
    Object.entries(ages).map(
      ([key, ms]) => [`${prefix}${key}`, { value, sinceMs: at.monotonicMs - ms }] as const,
    );
  const presence: States = new Map([
    ['calm', { value: 'true', sinceMs: 0 }],
    ...since('', 'false', missingMs),
    ...since('', 'true', readyMs),
    ...since('never Ready ', '', neverReadyMs),
  ]);
  return { ...at, remembered: { ...at.remembered, presence, distrusted } };
}

export const assignedTo = (at: PoolWorld, ordinal: number): ReturnType<typeof readAssigned> =>
  readAssigned(at.pods.find((it) => it.name === `worker-${ordinal}`)?.assigned);

export const stepsOf = (decision: Decision): readonly Step['do'][] =>
  decision.steps.map((step) => step.do);

export const conditionOf = (
  at: PoolWorld,
  type: string,
): { status: string; reason: string; message: string } | undefined =>
  at.pool.status?.conditions?.find((condition) => condition.type === type);
