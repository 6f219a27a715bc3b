// How is a publication written? Each ConfigMap in one write, and only as it was seen.
import { type Assignment, textDigest } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Step } from '../../core/decision.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_WHEN_DELETED,
  LABEL_MANAGED_BY,
  LABEL_POOL,
  MANAGER,
} from '../../core/meta.ts';
import { type ChangeNote, changeOf, type PublishedChange } from './notes.ts';
import type { ShardWrite } from './publication.ts';
import type { PublishedShard, Shard } from './published.ts';

/**
 * By the data of a write: what its text says, so that it need not be parsed when it is read back.
 */
const written = new WeakMap<object, Assignment>();

export const writtenIn = (data: object): Assignment | undefined => written.get(data);

export const labelsOf = (pool: string): Readonly<Record<string, string>> => ({
  [LABEL_POOL]: pool,
  [LABEL_MANAGED_BY]: MANAGER,
});

/** Notes beside an assignment; `unreported`: earlier changes that status lacks. */
export type Notes = {
  readonly untold: readonly PublishedChange[];
  readonly outdated: readonly string[] | undefined;
  readonly neverReady: readonly string[];
};

export function publishStep(
  place: { readonly namespace: string; readonly pool: string; readonly goesWithPool: boolean },
  { shard: { name, key }, present, assignment, text }: ShardWrite,
  { version, moves, reason, time }: PublishedChange,
  { untold, outdated, neverReady }: Notes,
): Step {
  const note: ChangeNote = {
    version,
    moves,
    reason,
    time,
    key,
    digest: textDigest(text),
    earlier: untold.map(plainChange),
  };
  const metadata = {
    labels: labelsOf(place.pool),
    annotations: {
      [ANNOTATION_CHANGE]: JSON.stringify(note),
      ...(place.goesWithPool && { [ANNOTATION_WHEN_DELETED]: 'Delete' }),
      ...(outdated !== undefined && { [ANNOTATION_OUTDATED]: JSON.stringify(outdated) }),
      ...(neverReady.length > 0 && { [ANNOTATION_NEVER_READY]: JSON.stringify(neverReady) }),
    },
  };
  const data = { [key]: text };
  written.set(data, assignment);
  const { namespace } = place;
  if (present === undefined) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, ...metadata },
      data,
    };
    return { do: 'create', kind: kinds.ConfigMap, object };
  }
  const { uid, resourceVersion } = present;
  const isOver = (annotation: string): boolean =>
    present.annotations[annotation] !== undefined && !(annotation in metadata.annotations);
  const over = Object.fromEntries(
    [ANNOTATION_MOVED_TO, ANNOTATION_NEVER_READY]
      .filter(isOver)
      .map((annotation) => [annotation, null]),
  );
  const body = {
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...over } },
    data: { ...abandoned(present, key), ...data },
  };
  return {
    do: 'patch',
    kind: kinds.ConfigMap,
    ref: { name, namespace, uid, resourceVersion },
    body,
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
 * Marks the places that the pool leaves, before it writes in a new place: a leader with an older
 * view would otherwise publish there, and nothing would refuse its write.
 */
export function movedToSteps(
  pool: string,
  shards: readonly Shard[],
  found: readonly PublishedShard[],
): readonly Step[] {
  const [{ name: place } = { name: '' }] = shards;
  const left = found.filter(
    ({ name, isSuperseded }) =>
      isSuperseded !== true && shards.every((shard) => shard.name !== name),
  );
  const distinct = [...new Map(left.map(({ configMap }) => [configMap.name, configMap])).values()];
  return distinct
    .filter(({ annotations }) => annotations[ANNOTATION_MOVED_TO] !== place)
    .map(({ name, namespace, uid, resourceVersion }) => ({
      do: 'patch',
      kind: kinds.ConfigMap,
      ref: { name, namespace, uid, resourceVersion },
      body: { metadata: { labels: labelsOf(pool), annotations: { [ANNOTATION_MOVED_TO]: place } } },
    }));
}
