// Which steps publish a change, and does it wait for the next? Each ConfigMap is written once, and
// only as it was seen.
import { textDigest } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Step } from '../../core/decision.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { eventStep } from '../status/events.ts';
import { unreportedChanges } from '../status.ts';
import type { Completed, Elsewhere } from '../streams/outcomes.ts';
import { nudgesNow } from '../workers/refresh.ts';
import { isByReplacement, isVerified, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld, PublishedChange } from '../world.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_WHEN_DELETED,
  type ChangeNote,
  changeOf,
  configMapsIn,
  labelsOf,
  patchStep,
} from './config-maps.ts';
import type { ShardWrite } from './files.ts';
import type { Move, Publication } from './publication.ts';
import { lastNoteIn, shardsOf } from './published.ts';

/** The ConfigMaps first, then nudges for the workers whose slice changed. */
export function changeSteps(
  world: PoolWorld,
  desired: DesiredState,
  change: PublishedChange,
): readonly Step[] {
  const { spec, publication } = desired;
  const { assignment, writes } = publication;
  const changed = new Set(
    [...assignment.workloads]
      .filter(([, slice]) => slice.version === change.version)
      .map(([worker]) => worker),
  );
  const message = changeText(change, publication);
  return [
    ...movedToSteps(world, desired),
    ...writes.map((write) => publishStep(world, desired, write, change, changed)),
    eventStep(world, { type: 'Normal', reason: 'Published', action: 'Publish', message }),
    ...movedElsewhere(world, desired),
    ...lostCompletions(world, desired, change),
    ...(spec.refresh.mode === 'Restart' ? [] : nudgesNow(desired, changed).steps),
  ];
}

const NAMED = 3;

function movedElsewhere(
  world: PoolWorld,
  { spec, publication, assigned, elsewhere }: DesiredState,
): readonly Step[] {
  const leaving = leavingNow(publication.moves, assigned.movedFrom, elsewhere);
  if (leaving.length === 0) return [];
  const names = leaving.map(({ stream, from, to }) => `${stream} from ${from} to ${to}`);
  const [each, move] = leaving.length === 1 ? ['it', 'moves'] : ['each', 'move'];
  const message =
    `${plural(leaving.length, 'stream')} ${move} to another worker (${listed(names, NAMED)}): ${each} failed at its worker ` +
    `for ${spec.streamPolicy.moveAfterSeconds} s (streamPolicy.moveAfterSeconds)`;
  return [
    eventStep(world, {
      type: 'Warning',
      reason: 'FailingStreamsMoved',
      action: 'Publish',
      message,
    }),
  ];
}

/** Streams that leave their worker with this publication because they fail there. */
const leavingNow = (
  moves: readonly Move[],
  movedFrom: ReadonlyMap<string, string>,
  elsewhere: Elsewhere | undefined,
): readonly Move[] =>
  movedFrom.size === 0
    ? []
    : moves.filter(
        ({ stream, from }) =>
          from !== undefined &&
          movedFrom.get(stream) === from &&
          elsewhere?.away.get(stream) !== from,
      );

function lostCompletions(
  world: PoolWorld,
  { spec, completed }: DesiredState,
  { reason }: PublishedChange,
): readonly Step[] {
  if (spec.streamPolicy.completion === 'Never') return [];
  const message = lostText(world, completed, reason);
  return message === undefined
    ? []
    : [
        eventStep(world, {
          type: 'Warning',
          reason: 'CompletionsLost',
          action: 'Publish',
          message,
        }),
      ];
}

/** How many may run again. After a loss status still has how many there were. */
function lostText(
  { pool: { status }, published: { assignment }, highestSeen, completedSeen }: PoolWorld,
  completed: Completed,
  reason: string,
): string | undefined {
  if (reason === 'AssignmentLost') {
    const lost = (status?.streams?.completed ?? 0) - completed.size;
    return lost > 0
      ? `${plural(lost, 'completed stream')} may run again: the record was lost with the ConfigMap`
      : undefined;
  }
  if (reason !== 'AssignmentRestored') return undefined;
  // Status may be as old as the record.
  const why = 'the record is from an earlier version';
  if (completedSeen === undefined || highestSeen <= (assignment?.version ?? 0))
    return `completed streams may run again: ${why}`;
  const recorded = [...(assignment?.completed?.keys() ?? [])].filter((it) => completed.has(it));
  const lost = completedSeen - recorded.length;
  return lost > 0 ? `${plural(lost, 'completed stream')} may run again: ${why}` : undefined;
}

function publishStep(
  { pool: { meta, status }, published }: PoolWorld,
  { spec, workers, completed, removal, blockedParts }: DesiredState,
  { shard: { name, key }, present, assignment, text }: ShardWrite,
  change: PublishedChange,
  changed: ReadonlySet<string>,
): Step {
  const here = workers.filter((worker) => assignment.workloads.has(worker.name));
  const before = published.assignment?.workloads.size;
  const outdated = isByReplacement(spec) ? outdatedAfter(here, changed) : undefined;
  const neverReady = neverReadyAfter(here, published.neverReady, change, before);
  const { cordoned = [] } = spec.workers;
  const last = lastNoteIn(published.shards);
  const confirmedAt = removal?.state === 'Confirmed' ? change.version : last?.confirmedAt;
  // While the list cannot be read, it ends no removal.
  const isHeld = blockedParts.list === undefined ? removal?.state === 'Held' : last?.isHeld;
  const note: ChangeNote = {
    ...plainChange(change),
    key,
    digest: textDigest(text),
    earlier: unreportedChanges(status, published.changes).map(plainChange),
    ...(spec.streamPolicy.completion === 'Once' && { completed: completed.size }),
    ...(cordoned.length > 0 && { cordoned }),
    ...(confirmedAt !== undefined && { confirmedAt }),
    ...(isHeld === true && { isHeld }),
  };
  const metadata = {
    labels: labelsOf(meta.name),
    annotations: {
      [ANNOTATION_CHANGE]: JSON.stringify(note),
      ...(spec.assignments.whenDeleted === 'Delete' && { [ANNOTATION_WHEN_DELETED]: 'Delete' }),
      ...(outdated !== undefined && { [ANNOTATION_OUTDATED]: JSON.stringify(outdated) }),
      ...(neverReady.length > 0 && { [ANNOTATION_NEVER_READY]: JSON.stringify(neverReady) }),
    },
  };
  const data = { ...(present !== undefined && abandoned(present, key)), [key]: text };
  if (present === undefined) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: meta.namespace, ...metadata },
      data,
    };
    return { do: 'create', kind: kinds.ConfigMap, object };
  }
  const removed = [ANNOTATION_MOVED_TO, ANNOTATION_NEVER_READY].filter(
    (it) => present.annotations[it] !== undefined && !(it in metadata.annotations),
  );
  return patchStep(present, {
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        ...Object.fromEntries(removed.map((annotation) => [annotation, null])),
      },
    },
    data,
  });
}

const plainChange = ({ version, moves, reason, time }: PublishedChange): PublishedChange => ({
  version,
  moves,
  reason,
  time,
});

/** The key that the pool used here before and would never update again. */
function abandoned(present: ConfigMap, key: string): Readonly<Record<string, null>> {
  const before = changeOf(present)?.key;
  return before === undefined || before === key ? {} : { [before]: null };
}

/**
 * Marks the ConfigMaps that the pool leaves, before it writes to another one: a leader with an
 * older view would otherwise publish there, and nothing would refuse its write.
 */
function movedToSteps({ pool, published }: PoolWorld, { spec }: DesiredState): readonly Step[] {
  const { name } = pool.meta;
  const shards = shardsOf(name, spec);
  const movedTo = shards[0]?.name;
  const left = published.shards.filter(
    (file) => file.isSuperseded !== true && shards.every((shard) => shard.name !== file.name),
  );
  return configMapsIn(left)
    .filter(({ annotations }) => annotations[ANNOTATION_MOVED_TO] !== movedTo)
    .map((configMap) =>
      patchStep(configMap, {
        metadata: { labels: labelsOf(name), annotations: { [ANNOTATION_MOVED_TO]: movedTo } },
      }),
    );
}

function changeText(
  { version, moves: moved, reason }: PublishedChange,
  { moves, recovered }: Publication,
): string {
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const gone = moves.filter(({ to }) => to === undefined).length;
  const kept = recovered > 0 ? `, ${recovered} kept as workers report them` : '';
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone${kept} (${reason})`;
}

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

/** UIDs of outdated pods that still live, and of the pods of workers whose slice changes now. */
const outdatedAfter = (
  workers: readonly PoolWorker[],
  changed: ReadonlySet<string>,
): readonly string[] =>
  workers.flatMap(({ pod, isOutdated, name }) =>
    pod !== undefined && (isOutdated || changed.has(name)) ? [pod.uid] : [],
  );

/** Without a longer list, its workers count as having been Ready: annotations share 256 KiB. */
const MOST_BYTES = 16 * 1024;

/** Noted with the first publication, or the first after an empty one (`before` 0). */
function neverReadyAfter(
  workers: readonly PoolWorker[],
  known: ReadonlySet<string>,
  change: PublishedChange,
  before: number | undefined,
): readonly string[] {
  const isFirst = change.reason === 'FirstPublication' || before === 0;
  const names = workers.flatMap(({ isDesired, pod, name, from }) =>
    isDesired && pod?.isReady !== true && (isFirst || known.has(from)) ? [name] : [],
  );
  return new TextEncoder().encode(JSON.stringify(names)).length > MOST_BYTES ? [] : names;
}
