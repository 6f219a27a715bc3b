// Which steps publish a change? Each ConfigMap is written once, and only as it was seen.
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
import { isByReplacement, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld, Published, PublishedChange } from '../world.ts';
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
} from './config-map.ts';
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
    ...failingStreamsMoved(world, desired),
    ...lostCompletions(world, desired, change),
    ...(spec.refresh.mode === 'Restart' ? [] : nudgesNow(desired, changed).steps),
  ];
}

const NAMED = 3;

function failingStreamsMoved(
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
  world: PoolWorld,
  desired: DesiredState,
  write: ShardWrite,
  change: PublishedChange,
  changed: ReadonlySet<string>,
): Step {
  const { name: pool, namespace } = world.pool.meta;
  const { shard, present, text } = write;
  const { name, key } = shard;
  const labels = labelsOf(pool);
  const annotations = annotationsOf(world, desired, write, change, changed);
  const data = { ...(present !== undefined && abandoned(present, key)), [key]: text };
  if (present === undefined) {
    const metadata = { name, namespace, labels, annotations };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    return { do: 'create', kind: kinds.ConfigMap, object };
  }
  const removed = [ANNOTATION_MOVED_TO, ANNOTATION_NEVER_READY].filter(
    (it) => present.annotations[it] !== undefined && annotations[it] === undefined,
  );
  const removals = Object.fromEntries(removed.map((annotation) => [annotation, null]));
  return patchStep(present, {
    metadata: { labels, annotations: { ...annotations, ...removals } },
    data,
  });
}

function annotationsOf(
  world: PoolWorld,
  desired: DesiredState,
  { shard, assignment, text }: ShardWrite,
  change: PublishedChange,
  changed: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const { spec, workers } = desired;
  const here = workers.filter((worker) => assignment.workloads.has(worker.name));
  const outdated = isByReplacement(spec) ? outdatedAfter(here, changed) : undefined;
  const neverReady = neverReadyAfter(here, world.published, change);
  const note: ChangeNote = {
    ...plainChange(change),
    key: shard.key,
    digest: textDigest(text),
    ...noteOf(world, desired, change),
  };
  return {
    [ANNOTATION_CHANGE]: JSON.stringify(note),
    ...(spec.assignments.whenDeleted === 'Delete' && { [ANNOTATION_WHEN_DELETED]: 'Delete' }),
    ...(outdated !== undefined && { [ANNOTATION_OUTDATED]: JSON.stringify(outdated) }),
    ...(neverReady.length > 0 && { [ANNOTATION_NEVER_READY]: JSON.stringify(neverReady) }),
  };
}

/** The same on each ConfigMap. */
function noteOf(
  { pool: { status }, published }: PoolWorld,
  { spec, completed, removal, blockedParts }: DesiredState,
  { version }: PublishedChange,
): Omit<ChangeNote, keyof PublishedChange> {
  const { cordoned = [] } = spec.workers;
  const last = lastNoteIn(published.shards);
  const confirmedAt = removal?.state === 'Confirmed' ? version : last?.confirmedAt;
  // While the list cannot be read, it ends no removal.
  const isHeld = blockedParts.list === undefined ? removal?.state === 'Held' : last?.isHeld;
  return {
    earlier: unreportedChanges(status, published.changes).map(plainChange),
    ...(spec.streamPolicy.completion === 'Once' && { completed: completed.size }),
    ...(cordoned.length > 0 && { cordoned }),
    ...(confirmedAt !== undefined && { confirmedAt }),
    ...(isHeld === true && { isHeld }),
  };
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
  const stay = recovered > 0 ? `, ${recovered} kept as workers report them` : '';
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone${stay} (${reason})`;
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

/** Noted with the first publication, or the first after an empty one. */
function neverReadyAfter(
  workers: readonly PoolWorker[],
  { neverReady, assignment }: Published,
  { reason }: PublishedChange,
): readonly string[] {
  const isFirst = reason === 'FirstPublication' || assignment?.workloads.size === 0;
  const names = workers.flatMap(({ isDesired, pod, name, from }) =>
    isDesired && pod?.isReady !== true && (isFirst || neverReady.has(from)) ? [name] : [],
  );
  return new TextEncoder().encode(JSON.stringify(names)).length > MOST_BYTES ? [] : names;
}
