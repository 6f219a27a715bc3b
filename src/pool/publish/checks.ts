// Why may a change not be published, by the first refusal that holds, or not yet?
import { HIGHEST_VERSION, sizeOfAssignment, writeAssignment } from '../../api/assignment.ts';
import { exceededBy, MOST_OF_POOL, MOST_OF_TEXT, type Size, together } from '../../api/bounds.ts';
import { type Check, firstRefusal, stalled, waiting } from '../../core/blocked.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Blocked } from '../preconditions.ts';
import type { ObstacleReason } from '../reasons.ts';
import { unreportedChanges } from '../status.ts';
import { isVerified } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { sizeOfKey } from './config-map.ts';
import { filesOf } from './files.ts';
import { pathOf, shardIndexOf, shardsOf, whatStays } from './published.ts';

/** Well below what etcd takes: other keys and the previous version need room too. */
const MOST_BYTES = 700 * 1024;
/** How many shards are tried. */
const MOST_SHARDS = 1_000;

type Facts = DesiredState & { readonly world: PoolWorld };

type PublishCheck = Check<Facts, ObstacleReason>;

type Why = (facts: Facts) => string | undefined;

export const whyUnpublishable = (world: PoolWorld, desired: DesiredState): Blocked | undefined =>
  firstRefusal(publishChecks, { ...desired, world });

const workersUnknown: Why = ({ unknown }) =>
  unknown.length === 0
    ? undefined
    : `the assignment was lost, and ${listed(unknown)} has not reported its streams; assignments are on hold until it does (handoff.type Exclusive)`;

/** Only a user who may write status can cause this: the operator believes no other source. */
const versionTooHigh: Why = ({ world, publication: { change } }) =>
  change === undefined || change.version <= HIGHEST_VERSION
    ? undefined
    : `status.version is ${change.version - 1}, and the operator cannot publish a higher one; set it to the version in the ConfigMap (kubectl edit --subresource=status); ${whatStays(world)}`;

const configMapTooLarge: Why = (desired) => {
  const { publication, spec } = desired;
  if (publication.writes.every(({ text }) => bytesIn(text) <= MOST_BYTES)) return undefined;
  const { shards } = spec.assignments;
  return `the assignment does not fit into ${plural(shards, 'ConfigMap')} of at most ${MOST_BYTES / 1024} KiB; spec.assignments.shards: ${shardsEnough(desired)} is enough`;
};

function shardsEnough({ publication: { assignment }, workers, spec }: DesiredState): number {
  const sizes = workers.flatMap(({ name, ordinal }) => {
    const slice = assignment.workloads.get(name);
    if (slice === undefined) return [];
    const alone = { ...assignment, workloads: new Map([[name, slice]]) };
    return [{ ordinal, size: bytesIn(writeAssignment(alone)) }];
  });
  const largest = (count: number): number => {
    const sums = new Float64Array(count);
    for (const { ordinal, size } of sizes)
      sums[shardIndexOf(ordinal, count)] = (sums[shardIndexOf(ordinal, count)] ?? 0) + size;
    return Math.max(...sums);
  };
  for (let count = spec.assignments.shards + 1; count < MOST_SHARDS; count += 1)
    if (largest(count) <= MOST_BYTES) return count;
  return MOST_SHARDS;
}

const bytesIn = (text: string): number => Buffer.byteLength(text);

/** The readers of the operator and of the workers would refuse the text. */
const assignmentTooLarge: Why = ({ world, publication: { writes }, spec }) => {
  const written = new Map(
    writes.map(({ shard, assignment }) => [pathOf(shard), sizeOfAssignment(assignment)]),
  );
  const { wanted } = filesOf(shardsOf(world.pool.meta.name, spec), world.published.shards);
  const sizes = wanted.map(
    ({ shard, present }) =>
      written.get(pathOf(shard)) ?? (present && sizeOfKey(present.configMap, shard.key)) ?? NO_TEXT,
  );
  const exceeded =
    exceededBy(together(sizes), MOST_OF_POOL) ??
    [...written.values()]
      .map((size) => exceededBy(size, MOST_OF_TEXT))
      .find((it) => it !== undefined);
  return exceeded === undefined
    ? undefined
    : `the assignment would have ${exceeded}; divide the streams between several pools; ${whatStays(world)}`;
};

const NO_TEXT: Size = { length: 0, marks: 0 };

/** A published text was checked when it was published. */
const toWrite =
  (check: PublishCheck): PublishCheck =>
  (facts) =>
    facts.publication.change === undefined ? undefined : check(facts);

const publishChecks: readonly PublishCheck[] = [
  waiting('WorkersUnknown', workersUnknown),
  toWrite(stalled('VersionTooHigh', versionTooHigh)),
  toWrite(stalled('AssignmentTooLarge', configMapTooLarge)),
  toWrite(stalled('AssignmentTooLarge', assignmentTooLarge)),
];

/** Between two versions, while workers have not confirmed the first. */
const JOIN_CHANGES_MS = 500;
/** More changes than this within this time are joined, even if workers confirm each at once. */
const MOST_AT_ONCE = 3;
const RUN_OF_CHANGES_MS = 2_000;

/**
 * Changes that come faster than workers confirm are joined: the first is published at once, then
 * two versions a second. A released stream never waits.
 */
export function joinsNextChangeInMs(
  world: PoolWorld,
  { workers, publication: { assignment } }: DesiredState,
  now: number,
): number {
  const { ages, published } = world;
  const previous = published.assignment?.workloads;
  if (previous === undefined || ages.publishedMs >= JOIN_CHANGES_MS) return 0;
  if (isVerified(workers, previous) && changesWithin(world, now) < MOST_AT_ONCE) return 0;
  const isLetGo = [...previous].some(([worker, { releasing = [] }]) => {
    const still = new Set(assignment.workloads.get(worker)?.releasing);
    return releasing.some((stream) => !still.has(stream));
  });
  return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;
}

/** From times in history: a wrong clock delays a change by at most half a second. */
function changesWithin({ pool, published: { changes } }: PoolWorld, now: number): number {
  const known = pool.status?.history?.map(({ publishTime }) => publishTime) ?? [];
  const times = [...unreportedChanges(pool.status, changes).map(({ time }) => time), ...known];
  return times.filter((time) => now - Date.parse(time) < RUN_OF_CHANGES_MS).length;
}
