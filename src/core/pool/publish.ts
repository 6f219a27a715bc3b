// What should stand in the ConfigMap, and is that a change?
import { type Assignment, digestOf, type Slice, writeAssignment } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import { isRecord } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Step } from '../decision.ts';
import { ANNOTATION_CHANGE, ANNOTATION_OUTDATED, ANNOTATION_POOL, LABEL_MANAGED_BY, LABEL_POOL, MANAGER } from '../meta.ts';
import { hadJobs, type Member } from './members.ts';
import type { Stream } from './streams.ts';

/** The last change of a publication: what history is made of. */
export type Change = { readonly version: number; readonly moves: number; readonly reason: string; readonly time: string };

export type Move = { readonly stream: string; readonly from?: string; readonly to?: string; readonly reason: string };

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: what is published is what should be. */
  readonly change: Change | undefined;
  readonly moves: readonly Move[];
};

export type PublishInput = {
  readonly members: readonly Member[];
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  readonly streams: readonly Stream[];
  readonly previous: Assignment | undefined;
  /** The highest version that anybody has seen: in status, or told by a worker. A version never falls below it. */
  readonly floor: number;
  readonly time: string;
};

/** Every desired or living worker has an entry; a slice that asks the same as before keeps its version. */
export function publicationOf({ members, jobs, streams, previous, floor, time }: PublishInput): Publication {
  const version = Math.max(previous?.version ?? 0, floor) + 1;
  // Restored from an older copy: workers have seen newer versions and would ignore every slice in it.
  const isRestored = previous !== undefined && previous.version < floor;
  const special = new Map(streams.flatMap((stream) => (isSpecial(stream) ? [[stream.name, stream] as const] : [])));
  const workloads = new Map<string, Slice>();
  for (const { name } of members) {
    const slice = sliceOf(jobs.get(name) ?? [], special, version);
    const before = previous?.workloads.get(name);
    workloads.set(name, before !== undefined && !isRestored && asksTheSame(before, slice) ? before : slice);
  }
  const isSame = previous !== undefined && !isRestored && sameEntries(previous.workloads, workloads);
  if (isSame) return { assignment: previous, change: undefined, moves: [] };
  const reason = reasonOf(previous, isRestored, floor, streams, members);
  const moves = movesOf(previous, workloads, reason);
  const moved = moves.filter((move) => move.from !== undefined && move.to !== undefined).length;
  return { assignment: { workloads, version }, change: { version, moves: moved, reason, time }, moves };
}

/** Most streams have nothing but a name. */
const isSpecial = ({ weight, parameters }: Stream): boolean => weight > 0 || parameters !== undefined;

function sliceOf(jobs: readonly string[], special: ReadonlyMap<string, Stream>, version: number): Slice {
  const own = special.size === 0 ? [] : jobs.flatMap((job) => special.get(job) ?? []);
  const parameters = own.flatMap(({ name, parameters: values }) => (values === undefined ? [] : [[name, values] as const]));
  const weights = own.flatMap(({ name, weight }) => (weight === 0 ? [] : [[name, weight] as const]));
  return {
    jobs,
    version,
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(weights.length > 0 && { weights: Object.fromEntries(weights) }),
  };
}

/** The order of jobs asks nothing of a worker: a list that is only rearranged changes no slice. */
function asksTheSame(a: Slice, b: Slice): boolean {
  if (a.jobs.length !== b.jobs.length || (a.releasing?.length ?? 0) > 0) return false;
  const sorted = (slice: Slice): Slice => ({
    ...slice,
    jobs: [...slice.jobs].sort(),
    parameters: sortedKeys(slice.parameters ?? {}),
    weights: sortedKeys(slice.weights ?? {}),
  });
  return digestOf(sorted(a)) === digestOf(sorted(b));
}

function sortedKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, isRecord(value) ? (sortedKeys(value) as T) : value]));
}

function sameEntries(a: ReadonlyMap<string, Slice>, b: ReadonlyMap<string, Slice>): boolean {
  return a.size === b.size && [...b].every(([worker, slice]) => a.get(worker) === slice);
}

function reasonOf(
  previous: Assignment | undefined,
  isRestored: boolean,
  floor: number,
  streams: readonly Stream[],
  members: readonly Member[],
): string {
  if (previous === undefined) return floor > 0 ? 'AssignmentLost' : 'FirstPublication';
  if (isRestored) return 'AssignmentRestored';
  const before = new Set([...previous.workloads.values()].flatMap((slice) => slice.jobs));
  if (before.size !== streams.length || streams.some(({ name }) => !before.has(name))) return 'StreamsChanged';
  const names = new Set(members.map((member) => member.name));
  if ([...previous.workloads.keys()].some((worker) => !names.has(worker)) || names.size !== previous.workloads.size)
    return 'WorkersChanged';
  if (members.some(({ name, hasFailed }) => hasFailed && hadJobs(previous, name))) return 'WorkerMissing';
  return members.some(({ name, hasJoined }) => hasJoined !== hadJobs(previous, name)) ? 'WorkersChanged' : 'StreamsChanged';
}

function movesOf(previous: Assignment | undefined, next: ReadonlyMap<string, Slice>, reason: string): readonly Move[] {
  const owners = (workloads: ReadonlyMap<string, Slice>): Map<string, string> =>
    new Map([...workloads].flatMap(([worker, slice]) => slice.jobs.map((job) => [job, worker] as const)));
  const before = owners(previous?.workloads ?? new Map());
  const after = owners(next);
  const given = [...after].flatMap(([stream, to]) => {
    const from = before.get(stream);
    return from === to ? [] : [{ stream, ...(from !== undefined && { from }), to, reason }];
  });
  const taken = [...before].flatMap(([stream, from]) => (after.has(stream) ? [] : [{ stream, from, reason }]));
  return [...given, ...taken];
}

/** The write that publishes: made once, changed only as it was seen. */
export function publishStep(
  place: { readonly name: string; readonly namespace: string; readonly key: string; readonly pool: string },
  present: ConfigMap | undefined,
  { assignment, change }: { readonly assignment: Assignment; readonly change: Change },
  outdated: readonly string[] | undefined,
): Step {
  const metadata = {
    labels: { [LABEL_POOL]: place.pool, [LABEL_MANAGED_BY]: MANAGER },
    annotations: {
      [ANNOTATION_CHANGE]: JSON.stringify(change),
      ...(outdated !== undefined && { [ANNOTATION_OUTDATED]: JSON.stringify(outdated) }),
    },
  };
  const data = { [place.key]: writeAssignment(assignment) };
  const { name, namespace } = place;
  if (present === undefined) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...metadata }, data };
    return { do: 'create', kind: kinds.ConfigMap, object };
  }
  const { uid, resourceVersion } = present;
  return { do: 'patch', kind: kinds.ConfigMap, ref: { name, namespace, uid, resourceVersion }, body: { metadata, data } };
}

export function changeOf(configMap: ConfigMap | undefined): Change | undefined {
  try {
    const value: unknown = JSON.parse(configMap?.annotations[ANNOTATION_CHANGE] ?? '');
    if (!isRecord(value)) return undefined;
    const { version, moves, reason, time } = value;
    const isWhole = typeof version === 'number' && typeof moves === 'number' && typeof reason === 'string' && typeof time === 'string';
    return isWhole ? { version, moves, reason, time } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whose is a ConfigMap that is already there? Ours by its label, or, if somebody took that away, by our note of the last change. A
 * placeholder may be taken over while it does not hold our key.
 */
export function ownership(configMap: ConfigMap, pool: string, key: string): 'ours' | 'placeholder' | 'foreign' {
  const label = configMap.labels[LABEL_POOL];
  if (label === pool || (label === undefined && changeOf(configMap) !== undefined)) return 'ours';
  const isPlaceholder = configMap.annotations[ANNOTATION_POOL] === pool && configMap.data[key] === undefined;
  return isPlaceholder ? 'placeholder' : 'foreign';
}

export const configMapNameOf = (pool: string, spec: SwarmPoolSpec): string => spec.assignments.configMapName ?? `${pool}-assignments`;
