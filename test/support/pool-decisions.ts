// What becomes of a pool when a decision about it is carried out, and its workers follow?
import { ASSIGNED_ANNOTATION, readAssignment } from '../../src/api/assignment.ts';
import { asRecord, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { type ConfigMap, DELETION_COST_ANNOTATION, type Pod } from '../../src/api/observed.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../src/api/validate.ts';
import type { Decision, Step, VersionedRef } from '../../src/core/decision.ts';
import { decidePool, type PoolDecision } from '../../src/pool/decide.ts';
import { shardsOf } from '../../src/pool/publish/published.ts';
import type { PoolWorld, Remembered } from '../../src/pool/world.ts';
import {
  everyPod,
  NOW,
  scaled,
  slicesOf,
  toPods,
  withShards,
  withSpec,
  workersOf,
} from './pool-worlds.ts';

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

/** The same, and what was written is read back as the same objects: so the operator reads it. */
export function readBack(
  at: PoolWorld,
  decision: Pick<PoolDecision, 'remembered' | 'steps' | 'writes'>,
): PoolWorld {
  const next = carriedOut(at, decision);
  const shards = next.published.shards.map((shard) => {
    const { name, key, configMap } = shard;
    const write = decision.writes?.find((it) => it.shard.name === name && it.shard.key === key);
    return write !== undefined && write.text === configMap.data[key]
      ? { ...shard, read: { ok: true, assignment: write.assignment } as const }
      : shard;
  });
  return withShards(next, shards);
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
    case 'createKeys':
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
