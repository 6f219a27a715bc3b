// Which steps publish a change? Each ConfigMap is written once, and only as it was seen.
import { type Assignment, textDigest } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Step } from '../../core/decision.ts';
import { plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_WHEN_DELETED,
} from '../labels.ts';
import { isByReplacement, outdatedAfter } from '../refresh/mode.ts';
import { nudgesNow } from '../refresh/nudge.ts';
import { eventStep } from '../status/events.ts';
import { unreportedChanges } from '../status/history.ts';
import { neverReadyAfter } from '../workers/never-ready.ts';
import type { PoolWorld } from '../world.ts';
import { configMapsIn, labelsOf, patchStep } from './config-maps.ts';
import type { Move } from './moves.ts';
import { type ChangeNote, changeOf, type PublishedChange } from './notes.ts';
import type { ShardWrite } from './publication.ts';
import { shardsOf } from './published.ts';

/** The ConfigMaps first, then nudges for the workers whose slice changed. */
export function changeSteps(
  world: PoolWorld,
  desired: DesiredState,
  change: PublishedChange,
): readonly Step[] {
  const { spec, publication } = desired;
  const { assignment, moves, writes } = publication;
  const changed = new Set(
    [...assignment.workloads]
      .filter(([, slice]) => slice.version === change.version)
      .map(([worker]) => worker),
  );
  const message = changeText(change, moves);
  return [
    ...movedToSteps(world, desired),
    ...writes.map((write) => publishStep(world, desired, write, change, changed)),
    eventStep(world, { type: 'Normal', reason: 'Published', action: 'Publish', message }),
    ...(spec.refresh.mode === 'Restart' ? [] : nudgesNow(desired, changed).steps),
  ];
}

/** By the data of a write: what its text says. It need not be parsed when it is read back. */
const written = new WeakMap<object, Assignment>();

export const writtenIn = (data: object): Assignment | undefined => written.get(data);

function publishStep(
  { pool: { meta, status }, published }: PoolWorld,
  { spec, workers }: DesiredState,
  { shard: { name, key }, present, assignment, text }: ShardWrite,
  change: PublishedChange,
  changed: ReadonlySet<string>,
): Step {
  const here = workers.filter((worker) => assignment.workloads.has(worker.name));
  const before = published.assignment?.workloads.size;
  const outdated = isByReplacement(spec) ? outdatedAfter(here, changed) : undefined;
  const neverReady = neverReadyAfter(here, published.neverReady, change, before);
  const note: ChangeNote = {
    ...plainChange(change),
    key,
    digest: textDigest(text),
    earlier: unreportedChanges(status, published.changes).map(plainChange),
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
  written.set(data, assignment);
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
 * Marks the places that the pool leaves, before it writes in a new place: a leader with an older
 * view would otherwise publish there, and nothing would refuse its write.
 */
function movedToSteps({ pool, published }: PoolWorld, { spec }: DesiredState): readonly Step[] {
  const { name } = pool.meta;
  const shards = shardsOf(name, spec);
  const place = shards[0]?.name;
  const left = published.shards.filter(
    (file) => file.isSuperseded !== true && shards.every((shard) => shard.name !== file.name),
  );
  return configMapsIn(left)
    .filter(({ annotations }) => annotations[ANNOTATION_MOVED_TO] !== place)
    .map((configMap) =>
      patchStep(configMap, {
        metadata: { labels: labelsOf(name), annotations: { [ANNOTATION_MOVED_TO]: place } },
      }),
    );
}

function changeText(
  { version, moves: moved, reason }: PublishedChange,
  moves: readonly Move[],
): string {
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const gone = moves.filter(({ to }) => to === undefined).length;
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone (${reason})`;
}
