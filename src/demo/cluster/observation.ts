// Observes a pool: its objects in the API, and the answers of its workers.
import { Agent } from 'undici';
import { hostAndPort } from '../../api/address.ts';
import { type Assignment, readAssignment, type Slice } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../api/objects.ts';
import { type Pod, parsePod, parseTarget } from '../../api/observed.ts';
import { readReport } from '../../api/report.ts';
import { parseSwarmPool, type SwarmPool, type SwarmPoolStatus } from '../../api/validate.ts';
import { configMapNameOf } from '../../pool/publish/published.ts';
import { portOf } from '../../pool/workers/probes.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { boundedRequest } from '../../runtime/client/bounded-request.ts';
import { orNothing } from '../../runtime/client/errors.ts';

/** What a worker answers, or why it did not. */
type WorkerAnswer =
  | { readonly ok: true; readonly version: number; readonly streams: readonly string[] }
  | { readonly ok: false; readonly reason: string };

type StatusEntry = NonNullable<SwarmPoolStatus['workers']>[number];

export type PodObservation = {
  readonly uid: string;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly restarts: number;
  /** Why a container does not run, in the kubelet's words. */
  readonly trouble: string | undefined;
};

export type WorkerObservation = {
  readonly name: string;
  readonly pod: PodObservation | undefined;
  readonly answer: WorkerAnswer;
  /** The published assignment of this worker. */
  readonly slice: Slice | undefined;
  /** Its entry in the pool's status. */
  readonly entry: StatusEntry | undefined;
};

/** The streams that it answers; none without an answer. */
export const streamsOf = ({ answer }: WorkerObservation): readonly string[] =>
  answer.ok ? answer.streams : [];

export const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((stream) => others.includes(stream));

export type Observation = {
  /** The list in the pool's spec. */
  readonly streams: readonly string[];
  /** By stream; streams without a weight are left out. */
  readonly weights: ReadonlyMap<string, number>;
  /** Of each worker; undefined if the pool overcommits. */
  readonly capacity: number | undefined;
  readonly generation: number;
  readonly status: SwarmPoolStatus | undefined;
  /** Of the published assignment. */
  readonly version: number | undefined;
  /** Of the target's spec. */
  readonly replicas: number;
  readonly workers: readonly WorkerObservation[];
};

export type ObservedTarget = {
  readonly namespace: string;
  readonly pool: string;
  readonly statefulSet: string;
};

/** `status`: this machine reaches no worker, so answers are read from the pool's status. */
export type Trust = 'workers' | 'status';

const bounds = { answerMs: 1_000, mostBytes: 4 * 1024 * 1024 };
const agent = new Agent({ connect: { timeout: bounds.answerMs }, keepAliveTimeout: 2_000 });

/**
 * Undefined: there is no pool. The pool is read first and the workers are asked last, so that no
 * answer is older than the condition that it is compared with.
 */
export async function observe(
  api: KubeApi,
  target: ObservedTarget,
  trust: Trust,
): Promise<Observation | undefined> {
  const { namespace } = target;
  const found = await orNothing(api.get(kinds.SwarmPool, { namespace, name: target.pool }));
  if (found === undefined) return undefined;
  const pool = parseSwarmPool(found);
  const [assignment, statefulSet, pods] = await Promise.all([
    publishedFor(api, pool),
    orNothing(api.get(kinds.StatefulSet, { namespace, name: target.statefulSet })),
    api.list(kinds.Pod, namespace),
  ]);
  const owner = statefulSet === undefined ? undefined : parseTarget('StatefulSet')(statefulSet);
  const owned = pods.items.filter((pod) => owner && parsePod(pod).ownerUid === owner.uid);
  return {
    ...wantedBy(pool),
    generation: pool.meta.generation,
    status: pool.status,
    version: assignment?.version,
    replicas: owner?.replicas ?? 0,
    workers: await Promise.all(
      namesOf(pool, owned).map((name) => {
        const pod = owned.find(({ metadata }) => metadata.name === name);
        return observeWorker(name, pool, assignment?.workloads.get(name), pod, trust);
      }),
    ),
  };
}

function wantedBy({ spec }: SwarmPool): Pick<Observation, 'streams' | 'weights' | 'capacity'> {
  if (!spec.ok) return { streams: [], weights: new Map(), capacity: undefined };
  const { streams = [], overcommit, workers } = spec.value;
  return {
    streams: streams.map(({ name }) => name),
    weights: new Map(
      streams.flatMap(({ name, weight = 0 }) => (weight > 0 ? [[name, weight]] : [])),
    ),
    capacity: overcommit === 'Allow' ? undefined : workers.capacity,
  };
}

async function publishedFor(
  api: KubeApi,
  { meta, spec }: SwarmPool,
): Promise<Assignment | undefined> {
  if (!spec.ok) return undefined;
  const { namespace } = meta;
  const configMap = await orNothing(
    api.get(kinds.ConfigMap, { namespace, name: configMapNameOf(meta.name, spec.value) }),
  );
  const read = readAssignment(asString(dig(configMap, 'data', spec.value.assignments.key)) ?? '');
  return read.ok ? read.assignment : undefined;
}

function namesOf({ status }: SwarmPool, pods: readonly KubeObject[]): readonly string[] {
  const names = new Set([
    ...(status?.workers ?? []).map(({ name }) => name),
    ...pods.map(({ metadata }) => metadata.name),
  ]);
  return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

async function observeWorker(
  name: string,
  pool: SwarmPool,
  slice: Slice | undefined,
  pod: KubeObject | undefined,
  trust: Trust,
): Promise<WorkerObservation> {
  const entry = pool.status?.workers?.find((it) => it.name === name);
  const answer = trust === 'status' ? answerInStatus(entry) : await ask(pod && parsePod(pod), pool);
  return { name, entry, slice, answer, pod: pod && podFrom(pod) };
}

function podFrom(pod: KubeObject): PodObservation {
  const { uid, isReady, isTerminating } = parsePod(pod);
  const containers = asList(dig(pod, 'status', 'containerStatuses'));
  const waiting = containers.map((it) => dig(it, 'state', 'waiting')).find(Boolean);
  const [reason, message] = [asString(dig(waiting, 'reason')), asString(dig(waiting, 'message'))];
  const restarts = containers.map((it) => asNumber(dig(it, 'restartCount')) ?? 0);
  return {
    uid,
    isReady,
    isEnding: isTerminating,
    restarts: restarts.reduce((sum, count) => sum + count, 0),
    trouble: message === undefined ? reason : `${reason}: ${message}`,
  };
}

function answerInStatus(entry: StatusEntry | undefined): WorkerAnswer {
  if (entry?.reportedVersion === undefined)
    return { ok: false, reason: 'the pool’s status has no report of this worker' };
  return { ok: true, version: entry.reportedVersion, streams: entry.jobs ?? [] };
}

async function ask(pod: Pod | undefined, { spec }: SwarmPool): Promise<WorkerAnswer> {
  if (pod === undefined) return { ok: false, reason: 'it has no pod' };
  if (!spec.ok) return { ok: false, reason: 'the pool’s spec is invalid' };
  const { port, path, scheme } = spec.value.probe.httpGet;
  const number = portOf(pod, port);
  if (pod.ip === undefined || number === undefined)
    return { ok: false, reason: 'its pod has no address yet' };
  const url = `${scheme.toLowerCase()}://${hostAndPort(pod.ip, number)}${path}`;
  const answer = await boundedRequest(url, { ...bounds, wants200: true, dispatcher: agent });
  if (!answer.ok) return { ok: false, reason: `${url}: ${answer.reason}` };
  const report = readReport(answer.body.toString('utf8'));
  if (report === undefined) return { ok: false, reason: `${url} reports no version` };
  // An address may have passed to another pod.
  if (report.podUid !== undefined && report.podUid !== pod.uid)
    return { ok: false, reason: `${url} answers for another pod` };
  return { ok: true, version: report.version, streams: report.jobs ?? [] };
}
