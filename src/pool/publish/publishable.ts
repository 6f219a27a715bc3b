// Why can the desired state not be published? The first refusal counts.
import { HIGHEST_VERSION, writeAssignment } from '../../api/assignment.ts';
import { excessOf, MOST_OF_POOL, together } from '../../api/bounds.ts';
import { own } from '../../api/objects.ts';
import { sizeOf, tooMuch } from '../../api/yaml.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Blocked } from '../preconditions.ts';
import type { ObstacleReason } from '../reasons.ts';
import type { PoolWorld } from '../world.ts';
import { fileOf } from './places.ts';
import { shardIndexOf, shardsOf } from './published.ts';
import { whatStays } from './stays.ts';

/** Well below what etcd takes: other keys and the previous version need room too. */
const MOST_BYTES = 700 * 1024;
/** How many shards are tried. */
const MOST_SHARDS = 1_000;

type Check = (world: PoolWorld, desired: DesiredState) => Blocked | undefined;

export function whyUnpublishable(world: PoolWorld, desired: DesiredState): Blocked | undefined {
  const unknown = workersUnknown(world, desired);
  if (unknown !== undefined || desired.publication.change === undefined) return unknown;
  for (const check of [versionTooHigh, configMapTooLarge, assignmentTooLarge]) {
    const blocked = check(world, desired);
    if (blocked !== undefined) return blocked;
  }
  return undefined;
}

const stalled = (reason: ObstacleReason, message: string): Blocked => ({
  reason,
  message,
  isStalled: true,
});

const workersUnknown: Check = (_, { unknown }) =>
  unknown.length === 0
    ? undefined
    : {
        reason: 'WorkersUnknown',
        message: `the assignment was lost, and ${listed(unknown)} has not reported its streams; assignments are on hold until it does (handoff.type Exclusive)`,
        isStalled: false,
      };

/** Only a user who may write status can cause this: no other source of it is believed. */
const versionTooHigh: Check = (world, { publication: { change } }) =>
  change === undefined || change.version <= HIGHEST_VERSION
    ? undefined
    : stalled(
        'VersionTooHigh',
        `status.version is ${change.version - 1}, and the operator cannot publish a higher one; set it to the version in the ConfigMap (kubectl edit --subresource=status); ${whatStays(world)}`,
      );

const configMapTooLarge: Check = (_, desired) => {
  const { publication, spec } = desired;
  if (publication.writes.every(({ text }) => bytesIn(text) <= MOST_BYTES)) return undefined;
  const { shards } = spec.assignments;
  return stalled(
    'AssignmentTooLarge',
    `the assignment does not fit into ${plural(shards, 'ConfigMap')} of at most ${MOST_BYTES / 1024} KiB; spec.assignments.shards: ${shardsEnough(desired)} is enough`,
  );
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

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

/** The readers of the operator and of the workers would refuse the text. */
const assignmentTooLarge: Check = (world, { publication: { writes }, spec }) => {
  const texts = shardsOf(world.pool.meta.name, spec).map((shard) => {
    const write = writes.find((it) => it.shard.name === shard.name && it.shard.key === shard.key);
    return write?.text ?? own(fileOf({ world }, shard)?.configMap.data, shard.key) ?? '';
  });
  const excess =
    excessOf(together(texts.map(sizeOf)), MOST_OF_POOL) ??
    writes.map(({ text }) => tooMuch(text)).find((it) => it !== undefined);
  return excess === undefined
    ? undefined
    : stalled(
        'AssignmentTooLarge',
        `the assignment would have ${excess}; divide the streams between several pools; ${whatStays(world)}`,
      );
};
