// Worlds of a pool for tests, and the world after an API server has carried out a decision.
import {
  ASSIGNED_ANNOTATION,
  readAssigned,
  readAssignment,
  type Slice,
} from '../../src/api/assignment.ts';
import { asRecord, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import {
  type ConfigMap,
  DELETION_COST_ANNOTATION,
  type Pod,
  type Target,
} from '../../src/api/observed.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../src/api/validate.ts';
import type { Decision, Step, VersionedRef } from '../../src/core/decision.ts';
import type { States } from '../../src/core/state-ages.ts';
import { decidePool } from '../../src/pool/decide.ts';
import { publishedNow, shardsOf } from '../../src/pool/publish/published.ts';
import type { Presence } from '../../src/pool/workers/availability.ts';
import {
  nothingRemembered,
  type PoolWorld,
  type PublishedShard,
  type Remembered,
} from '../../src/pool/world.ts';

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

const toPods = (at: PoolWorld, change: (it: Pod) => Pod): PoolWorld => ({
  ...at,
  pods: at.pods.map(change),
  formerPods: at.formerPods.map(change),
});

const workersOf = (at: PoolWorld): object => (at.pool.spec.ok ? at.pool.spec.value.workers : {});

export const withPod = (at: PoolWorld, ordinal: number, change: Partial<Pod>): PoolWorld =>
  toPods(at, (it) => (it.name === `worker-${ordinal}` ? { ...it, ...change } : it));

export const slicesOf = (at: PoolWorld): ReadonlyMap<string, Slice> =>
  at.published.assignment?.workloads ?? new Map();

export const versionOf = (at: PoolWorld): number => at.published.assignment?.version ?? 0;

/** Worker -> streams, from the ConfigMap. */
export const jobsOf = (at: PoolWorld): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...slicesOf(at)].map(([worker, { jobs }]) => [worker, jobs]));

/** Every Ready pod, or only the named ones, reports that it runs just its slice. */
export function confirmed(at: PoolWorld, only?: readonly number[]): PoolWorld {
  const slices = slicesOf(at);
  const answering = everyPod(at).filter(
    (it) =>
      it.isReady && (only === undefined || only.some((ordinal) => it.name === `worker-${ordinal}`)),
  );
  const answers = answering.flatMap(({ name, uid }) => {
    const slice = slices.get(name);
    return slice === undefined
      ? []
      : [
          [
            uid,
            { ok: true, report: { version: slice.version, jobs: slice.jobs, podUid: uid } },
          ] as const,
        ];
  });
  return { ...at, answers: { ...at.answers, ...Object.fromEntries(answers) } };
}

/** The world after its decision has been carried out. */
export function carriedOut(
  at: PoolWorld,
  decision: Decision & { readonly remembered?: Remembered },
): PoolWorld {
  const { remembered = at.remembered } = decision;
  return decision.steps.reduce(afterStep, { ...at, remembered });
}

/** How long the leader has seen workers away or Ready, by key. */
export function withPresence(
  at: PoolWorld,
  { missingMs = {}, readyMs = {}, neverReadyMs = {}, distrusted = [] }: Partial<Presence>,
): PoolWorld {
  const since = (kind: string, value: string, ages: Readonly<Record<string, number>>) =>
    Object.entries(ages).map(
      ([key, ms]) => [`${kind} ${key}`, { value, sinceMs: at.monotonicMs - ms }] as const,
    );
  const presence: States = new Map([
    ['calm', { value: 'true', sinceMs: 0 }],
    ...since('presence', 'false', missingMs),
    ...since('presence', 'true', readyMs),
    ...since('never Ready', '', neverReadyMs),
  ]);
  return { ...at, remembered: { ...at.remembered, presence, distrusted } };
}

const isNewer = (pod: Pod, { resourceVersion }: VersionedRef): boolean =>
  pod.resourceVersion !== resourceVersion;

const newer = (version: string): string => String(Number(version) + 1);

function afterStep(at: PoolWorld, step: Step): PoolWorld {
  switch (step.do) {
    case 'create':
      return withConfigMap(at, configMapOf(step.object, `${step.object.metadata.name}-uid`, '1'));
    case 'patch': {
      const present = at.published.shards.find(({ name }) => name === step.ref.name)?.configMap;
      if (present === undefined || present.resourceVersion !== step.ref.resourceVersion)
        throw new Error('patched on an old view');
      return withConfigMap(at, merged(present, step.body));
    }
    case 'annotate': {
      const told = (name: string, before: string | undefined): string | undefined =>
        name in step.annotations ? (step.annotations[name] ?? undefined) : before;
      const annotated = (it: Pod): Pod => ({
        ...it,
        assigned: told(ASSIGNED_ANNOTATION, it.assigned),
        deletionCost: told(DELETION_COST_ANNOTATION, it.deletionCost),
        resourceVersion: newer(it.resourceVersion),
      });
      return toPods(at, (it) => (it.uid === step.pod.uid ? annotated(it) : it));
    }
    case 'delete':
      return withShards(
        at,
        at.published.shards.filter(({ name }) => name !== step.ref.name),
      );
    case 'scale':
      if (step.kind.kind === 'SwarmPool')
        return withSpec(at, { workers: { ...workersOf(at), replicas: step.replicas } });
      return scaled(at, step.replicas, { isReady: false });
    case 'evict':
      if (everyPod(at).some((it) => it.uid === step.pod.uid && isNewer(it, step.pod)))
        throw new Error('evicted on an old view');
      // The controller creates a replacement, which is not Ready at first.
      return toPods(at, (it) =>
        it.uid === step.pod.uid
          ? { ...it, uid: `${it.uid}+`, assigned: undefined, isReady: false }
          : it,
      );
    case 'status': {
      const meta = { ...at.pool.meta, resourceVersion: newer(at.pool.meta.resourceVersion) };
      return { ...at, pool: { ...at.pool, meta, status: throughTheWire(step.status) } };
    }
    case 'event':
      return at;
    case 'operate':
      throw new Error('no decision about a pool has such a step');
    default:
      return step satisfies never;
  }
}

/** Validates a status like the API server: one that the CRD does not allow fails the test. */
function throughTheWire(status: object): SwarmPoolStatus {
  const object = {
    apiVersion: '',
    kind: '',
    metadata: { name: '' },
    spec: {},
    status: JSON.parse(JSON.stringify(status)),
  };
  const read = parseSwarmPool(object).status;
  if (read === undefined)
    throw new Error(`not a status that the CRD allows: ${JSON.stringify(status)}`);
  return read;
}

function configMapOf(object: KubeObject, uid: string, resourceVersion: string): ConfigMap {
  const strings = (value: unknown): Record<string, string> =>
    Object.fromEntries(
      Object.entries(asRecord(value) ?? {}).map(([key, text]) => [key, asString(text) ?? '']),
    );
  const { name, namespace = '' } = object.metadata;
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    labels: strings(dig(object, 'metadata', 'labels')),
    annotations: strings(dig(object, 'metadata', 'annotations')),
    data: strings(object['data']),
  };
}

function merged(present: ConfigMap, body: object): ConfigMap {
  const change = configMapOf(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: present.name }, ...body },
    '',
    '',
  );
  return {
    ...present,
    resourceVersion: newer(present.resourceVersion),
    labels: { ...present.labels, ...change.labels },
    annotations: Object.fromEntries(
      Object.entries({ ...present.annotations, ...change.annotations }).filter(
        ([, text]) => text !== '',
      ),
    ),
    data: { ...present.data, ...change.data },
  };
}

/** The world with this ConfigMap in it, as the controller would read it. */
export function withConfigMap(at: PoolWorld, configMap: ConfigMap): PoolWorld {
  const shards = at.pool.spec.ok ? shardsOf(at.pool.meta.name, at.pool.spec.value) : [];
  const shard = shards.find(({ name }) => name === configMap.name) ?? {
    name: configMap.name,
    key: Object.keys(configMap.data)[0] ?? '',
  };
  const text = configMap.data[shard.key];
  const entry = {
    ...shard,
    configMap,
    read: text === undefined ? undefined : readAssignment(text),
  };
  const others = at.published.shards.filter(({ name }) => name !== configMap.name);
  const rank = ({ name }: { readonly name: string }): number =>
    shards.findIndex((it) => it.name === name) >>> 0;
  return withShards(
    at,
    [...others, entry].sort((a, b) => rank(a) - rank(b)),
  );
}

/**
 * Decides and carries out until the pool is at rest; every Ready worker confirms what it is told.
 */
export function settled(start: PoolWorld, now = NOW): PoolWorld {
  // Long enough after each change that no write is held back for later changes.
  let at: PoolWorld = { ...start, ages: { ...start.ages, publishedMs: 10_000 } };
  for (let round = 0; round < 20; round += 1) {
    const decision = decidePool(at, now);
    if (decision.steps.length === 0) return at;
    at = confirmed(carriedOut(at, decision));
  }
  throw new Error('it does not come to rest');
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
