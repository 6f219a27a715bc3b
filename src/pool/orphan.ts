// What becomes of an assignment whose pool is gone? It stays, unless the pool asked for its removal
// and was itself deleted, not its definition.
import { kinds } from '../api/kinds.ts';
import type { ConfigMap } from '../api/observed.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type Step, versionedRefOf } from '../core/decision.ts';
import { ANNOTATION_NEVER_READY, ANNOTATION_WHEN_DELETED, LABEL_POOL } from '../core/meta.ts';
import type { PoolDecision } from './decision.ts';
import { brokenAnnotations } from './publish/annotations.ts';
import { neverReadyOn } from './publish/notes.ts';
import type { PublishedShard } from './publish/published.ts';
import { labelsOf } from './publish/write.ts';
import type { Remembered } from './remembered.ts';

/**
 * Deleting a definition deletes its objects one by one; so long it is watched whether it still
 * exists.
 */
const CERTAIN_MS = 10_000;
const LOOK_MS = 1_000;

export type OrphanWorld = {
  readonly kind: 'DeletedSwarmPool';
  /** ConfigMaps of the pool marked for removal with it (`assignments.whenDeleted: Delete`). */
  readonly marked: readonly ConfigMap[];
  /** False while the definition is being deleted. */
  readonly isServed: boolean;
  /** Since the operator saw that it was gone. */
  readonly goneMs: number;
  readonly remembered: Remembered;
};

/** Deleting the definition, by mistake or for a new installation, must not stop all streams. */
export function decideOrphan(world: OrphanWorld): PoolDecision {
  const { remembered } = world;
  return { ...actionsFor(world), lacking: [], remembered };
}

function actionsFor({
  marked,
  isServed,
  goneMs,
}: OrphanWorld): Pick<PoolDecision, 'steps' | 'probes' | 'requeueAfterMs'> {
  if (!isServed)
    return {
      steps: marked.map((it) =>
        patchStep(it, { annotations: { [ANNOTATION_WHEN_DELETED]: null } }),
      ),
      probes: [],
    };
  if (goneMs < CERTAIN_MS)
    return { steps: [], probes: [], requeueAfterMs: Math.min(LOOK_MS, CERTAIN_MS - goneMs) };
  return {
    steps: marked.map((it) => ({ do: 'delete', kind: kinds.ConfigMap, ref: versionedRefOf(it) })),
    probes: [],
  };
}

/**
 * Keeps labels and marks by which the operator finds the ConfigMaps of a pool, and removes notes
 * that are out of date or unreadable.
 */
export function removalMarks(
  pool: string,
  { assignments }: SwarmPoolSpec,
  published: readonly PublishedShard[],
  /** Workers that have become Ready since they were noted as never Ready. */
  seen: ReadonlySet<string>,
): readonly Step[] {
  const removal = assignments.whenDeleted === 'Delete' ? 'Delete' : null;
  const labels = labelsOf(pool);
  const distinct = [
    ...new Map(published.map(({ configMap }) => [configMap.name, configMap])).values(),
  ];
  return distinct.flatMap((configMap) => {
    const isLabelled = configMap.labels[LABEL_POOL] === pool;
    const noted = neverReadyOn(configMap);
    const left = noted.filter((name) => !seen.has(name));
    const isNoted = left.length === noted.length;
    const broken = brokenAnnotations(configMap);
    if (
      isLabelled &&
      isNoted &&
      broken.length === 0 &&
      (configMap.annotations[ANNOTATION_WHEN_DELETED] ?? null) === removal
    )
      return [];
    const neverReady = {
      [ANNOTATION_NEVER_READY]: left.length === 0 ? null : JSON.stringify(left),
    };
    return [
      patchStep(configMap, {
        ...(!isLabelled && { labels }),
        annotations: {
          [ANNOTATION_WHEN_DELETED]: removal,
          ...(!isNoted && neverReady),
          ...Object.fromEntries(broken.map((annotation) => [annotation, null])),
        },
      }),
    ];
  });
}

const patchStep = (configMap: ConfigMap, metadata: object): Step => ({
  do: 'patch',
  kind: kinds.ConfigMap,
  ref: versionedRefOf(configMap),
  body: { metadata },
});
