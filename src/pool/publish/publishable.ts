// Why can the desired state not be published? The first refusal counts.
import { HIGHEST_VERSION, writeAssignment } from '../../api/assignment.ts';
import { excessOf, MOST_OF_POOL, together } from '../../api/bounds.ts';
import { own } from '../../api/objects.ts';
import { sizeOf, tooMuch } from '../../api/yaml.ts';
import { type Check, firstRefusal, stalled, waiting } from '../../core/blocked.ts';
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

type Facts = DesiredState & { readonly world: PoolWorld };

type PublishCheck = Check<Facts, ObstacleReason>;

type Why = (facts: Facts) => string | undefined;

export const whyUnpublishable = (world: PoolWorld, desired: DesiredState): Blocked | undefined =>
  firstRefusal(publishChecks, { ...desired, world });

const workersUnknown: Why = ({ unknown }) =>
  unknown.length === 0
    ? undefined
    : `the assignment was lost, and ${listed(unknown)} has not reported its streams; assignments are on hold until it does (handoff.type Exclusive)`;

/** Only a user who may write status can cause this: no other source of it is believed. */
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

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

/** The readers of the operator and of the workers would refuse the text. */
const assignmentTooLarge: Why = ({ world, publication: { writes }, spec }) => {
  const texts = shardsOf(world.pool.meta.name, spec).map((shard) => {
    const write = writes.find((it) => it.shard.name === shard.name && it.shard.key === shard.key);
    return write?.text ?? own(fileOf({ world }, shard)?.configMap.data, shard.key) ?? '';
  });
  const excess =
    excessOf(together(texts.map(sizeOf)), MOST_OF_POOL) ??
    writes.map(({ text }) => tooMuch(text)).find((it) => it !== undefined);
  return excess === undefined
    ? undefined
    : `the assignment would have ${excess}; divide the streams between several pools; ${whatStays(world)}`;
};

/** What is published already was checked then. */
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
