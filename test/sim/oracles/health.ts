// Is the pool healthy? Compares it with what the processes really do, not with any report.
import { placedIn } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { readReport } from '../../../src/api/report.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import {
  hasEnded,
  isReady,
  isTerminating,
  ownerUid,
  REVISION,
  replicasOf,
  revisionOf,
} from '../cluster/facts.ts';
import type { Ledger } from '../cluster/ledger.ts';
import {
  isWeighted,
  leads,
  NAMESPACE,
  poolRef,
  targetKindOf,
  targetRef,
} from '../cluster/manifests.ts';
import type { PodRunner } from '../cluster/pod-runner.ts';
import type { Shape } from '../story/story.ts';
import { highestIn, publishedIn } from './published.ts';
import { suspendedIn } from './stream-health.ts';

export type Facts = {
  readonly server: ApiServer;
  readonly ledger: Ledger;
  readonly runners: readonly PodRunner[];
  readonly shape: Shape;
  /** A user has edited the publication: a line of history may be missing. */
  readonly isEditedByHand: boolean;
};

const CAPACITY = 100;

/** Empty when the pool is healthy. */
export function healthProblems({
  server,
  ledger,
  runners,
  shape,
  isEditedByHand,
}: Facts): readonly string[] {
  const pool = server.find(kinds.SwarmPool, poolRef);
  const target = server.find(kinds[targetKindOf(shape)], targetRef);
  if (pool === undefined || target === undefined) return ['there is no pool, or no target'];
  const pods = podsOf(server, target);
  const wanted = replicasOf(target);
  const problems: string[] = [];
  const no = (text: string): void => void problems.push(text);
  if (leads(shape) && dig(pool, 'spec', 'workers', 'replicas') !== wanted)
    no(`the target has ${wanted} replicas, not what the pool says`);
  const fresh = pods.filter(
    (pod) => isReady(pod) && !isTerminating(pod) && isUpToDate(server, pod, target),
  );
  if (pods.length !== wanted || fresh.length !== wanted) {
    no(`${fresh.length} of ${pods.length} pods are Ready and up to date, ${wanted} are wanted`);
    return problems;
  }
  const assignment = publishedIn(server);
  if (assignment === undefined) return [...problems, 'nothing is published'];
  const names = pods.map(({ metadata }) => metadata.name).sort();
  const entries = [...assignment.workloads.keys()].sort();
  if (entries.join() !== names.join()) no(`entries are ${entries.join()}, workers ${names.join()}`);
  const streams = asList(dig(pool, 'spec', 'streams'));
  const listed = new Set(streams.map((it) => asString(dig(it, 'name')) ?? ''));
  const given = [...assignment.workloads.values()].flatMap(({ jobs }) => jobs);
  const placed = [...assignment.workloads.values()].flatMap(placedIn);
  const suspended = suspendedIn(pool).filter((stream) => placed.includes(stream));
  const completed = assignment.completed ?? new Map<string, string>();
  const unassigned = new Set(
    asList(dig(pool, 'status', 'unassigned')).map((it) => asString(dig(it, 'name')) ?? ''),
  );
  if (new Set(placed).size !== placed.length) no('a stream is assigned twice');
  for (const stream of suspended)
    if (given.includes(stream)) no(`${stream} is suspended, and its worker is to run it`);
  if (placed.length - given.length !== suspended.length)
    no(`${placed.length - given.length} streams do not run, ${suspended.join()} are to`);
  for (const stream of placed) if (!listed.has(stream)) no(`${stream} is assigned, but not wanted`);
  for (const stream of listed) {
    const isGiven = placed.includes(stream);
    if (completed.has(stream)) {
      if (isGiven) no(`${stream} is completed, and a worker has it`);
      continue;
    }
    if (isGiven === unassigned.has(stream))
      no(
        `${stream} is ${isGiven ? 'both assigned and unassigned' : 'neither assigned nor unassigned'}`,
      );
    if (!isGiven && wanted > 0 && !isWeighted(shape)) no(`${stream} has no worker`);
  }
  for (const [worker, { releasing = [] }] of assignment.workloads)
    if (releasing.length > 0) no(`${worker} still releases ${releasing.join()}`);
  // One that failed elsewhere counts there: no other stream moves for it.
  const counted = (at: string, stream: string): string => {
    const left = assignment.movedFrom?.get(stream);
    return left !== undefined && assignment.workloads.has(left) ? left : at;
  };
  const homes = [...assignment.workloads].flatMap(([at, slice]) =>
    placedIn(slice).map((stream) => counted(at, stream)),
  );
  const sizes = [...assignment.workloads.keys()].map(
    (worker) => homes.filter((it) => it === worker).length,
  );
  // Work that ends is not moved for balance: it would begin anew.
  const isEven = !isWeighted(shape) && shape.isOnce !== true;
  if (isEven && sizes.length > 0 && Math.max(...sizes) - Math.min(...sizes) > 1)
    no(`sizes are ${sizes.join()}`);
  for (const [worker, { weights = {} }] of assignment.workloads) {
    const load = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    if (load > CAPACITY) no(`${worker} carries ${load}`);
  }
  for (const pod of pods) {
    const { name, uid } = pod.metadata;
    const slice = assignment.workloads.get(name);
    const worker = runners.find((it) => it.pod.metadata.uid === uid)?.worker;
    const report = readReport(worker?.report() ?? '');
    if (slice === undefined || worker === undefined || report === undefined) {
      no(`${name} has no slice, or no worker`);
      continue;
    }
    if (report.version < slice.version)
      no(`${name} runs version ${report.version}, not ${slice.version}`);
    for (const stream of slice.jobs) {
      const consumers = ledger.consumersOf(stream);
      const phase = worker.swarm.streams.get(stream)?.phase;
      const isAway =
        phase === 'Completed' ||
        phase === 'BackingOff' ||
        phase === 'Starting' ||
        phase === 'Failed';
      const isRight =
        consumers.length === (isAway ? consumers.length : 1) &&
        consumers.every((it) => it.uid === uid);
      if (!isRight)
        no(
          `${stream} should run at ${name} (${phase}), it runs at ${consumers.map(({ pod: at }) => at).join() || 'no worker'}`,
        );
    }
  }
  for (const stream of ledger.streams)
    if (!given.includes(stream)) no(`${stream} runs without being assigned`);
  return [
    ...problems,
    ...statusProblems(
      pool,
      wanted,
      highestIn(server),
      listed.size,
      unassigned.size,
      isEditedByHand,
    ),
    ...(isEditedByHand ? [] : historyProblems(pool, highestIn(server))),
  ];
}

function statusProblems(
  pool: KubeObject,
  wanted: number,
  version: number,
  total: number,
  unassigned: number,
  isEditedByHand: boolean,
): readonly string[] {
  const condition = (type: string): string | undefined =>
    asString(
      dig(
        asList(dig(pool, 'status', 'conditions')).find((it) => dig(it, 'type') === type),
        'status',
      ),
    );
  // Overwritten too often: status says so, and the rest is unchanged.
  const isFought =
    isEditedByHand && conditionIn(pool, 'Stalled', 'reason') === 'AssignmentsConflict';
  const expected: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
    [
      'status.observedGeneration',
      dig(pool, 'status', 'observedGeneration'),
      pool.metadata.generation,
    ],
    ['status.version', dig(pool, 'status', 'version'), version],
    ['status.replicas', dig(pool, 'status', 'replicas'), wanted],
    ['status.readyReplicas', dig(pool, 'status', 'readyReplicas'), wanted],
    ['status.convergedReplicas', dig(pool, 'status', 'convergedReplicas'), wanted],
    ['status.streams.total', dig(pool, 'status', 'streams', 'total'), total],
    ['status.streams.unassigned', dig(pool, 'status', 'streams', 'unassigned'), unassigned],
    ['Converged', condition('Converged'), 'True'],
    ['Ready', condition('Ready'), unassigned === 0 && !isFought ? 'True' : 'False'],
    ['Reconciling', condition('Reconciling'), 'False'],
    ['Stalled', condition('Stalled'), isFought ? 'True' : 'False'],
    ['Mounted', condition('Mounted'), 'True'],
    ['ProbeUnreachable', condition('ProbeUnreachable'), 'False'],
  ];
  return expected.flatMap(([what, found, should]) =>
    found === should ? [] : [`${what} is ${String(found)}, not ${String(should)}`],
  );
}

const conditionIn = (
  pool: KubeObject,
  type: string,
  field: 'status' | 'reason',
): string | undefined =>
  asString(
    dig(
      asList(dig(pool, 'status', 'conditions')).find((it) => dig(it, 'type') === type),
      field,
    ),
  );

function historyProblems(pool: KubeObject, version: number): readonly string[] {
  const versions = asList(dig(pool, 'status', 'history')).map(
    (it) => asNumber(dig(it, 'version')) ?? 0,
  );
  const isFalling = versions.every((it, index) => index === 0 || it < (versions[index - 1] ?? 0));
  if (!isFalling) return [`history is out of order: ${versions.join()}`];
  return versions[0] === version
    ? []
    : [`history ends with version ${versions[0]}, not ${version}`];
}

function podsOf(server: ApiServer, target: KubeObject): readonly KubeObject[] {
  const sets = server
    .all({ kind: kinds.ReplicaSet, namespace: NAMESPACE })
    .filter((set) => ownerUid(set) === target.metadata.uid);
  const owners = new Set([target.metadata.uid, ...sets.map(({ metadata }) => metadata.uid)]);
  // A ReplicaSet does not delete pods that have ended.
  const counts = (pod: KubeObject): boolean => target.kind === 'StatefulSet' || !hasEnded(pod);
  return server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .filter((pod) => owners.has(ownerUid(pod)) && counts(pod));
}

function isUpToDate(server: ApiServer, pod: KubeObject, target: KubeObject): boolean {
  const revision = revisionOf(target);
  if (target.kind === 'StatefulSet') return pod.metadata.labels?.[REVISION] === revision;
  const set = server
    .all({ kind: kinds.ReplicaSet })
    .find(({ metadata }) => metadata.uid === ownerUid(pod));
  return set !== undefined && revisionOf(set) === revision;
}
