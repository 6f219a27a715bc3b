// What becomes of an assignment whose pool is gone? It stays, unless the pool asked for removal.
import { kinds } from '../api/kinds.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type Step, versionedRefOf } from '../core/decision.ts';
import type { PoolDecision } from './decision.ts';
import { ANNOTATION_NEVER_READY, ANNOTATION_WHEN_DELETED, LABEL_POOL } from './labels.ts';
import { brokenAnnotations, configMapsIn, labelsOf, patchStep } from './publish/config-maps.ts';
import { neverReadyOn } from './publish/notes.ts';
import type { OrphanWorld, PoolWorld } from './world.ts';

/** Deleting a definition deletes its objects one by one: for so long the operator watches it. */
const CERTAIN_MS = 10_000;
const LOOK_MS = 1_000;

/** Deleting the definition, by mistake or for a new installation, must not stop all streams. */
export function decideOrphan({ marked, isServed, goneMs, remembered }: OrphanWorld): PoolDecision {
  const nothing = { steps: [], probes: [], lacking: [], remembered };
  if (!isServed) {
    const metadata = { annotations: { [ANNOTATION_WHEN_DELETED]: null } };
    return { ...nothing, steps: marked.map((it) => patchStep(it, { metadata })) };
  }
  if (goneMs < CERTAIN_MS)
    return { ...nothing, requeueAfterMs: Math.min(LOOK_MS, CERTAIN_MS - goneMs) };
  return {
    ...nothing,
    steps: marked.map((it) => ({ do: 'delete', kind: kinds.ConfigMap, ref: versionedRefOf(it) })),
  };
}

/**
 * Keeps labels and marks by which the operator finds the ConfigMaps of a pool, and removes notes
 * that are out of date or unreadable. `ready`: workers that are noted as never Ready, and now are.
 */
export function removalMarks(
  { pool, published }: PoolWorld,
  { assignments }: SwarmPoolSpec,
  ready: ReadonlySet<string>,
): readonly Step[] {
  const { name } = pool.meta;
  const removal = assignments.whenDeleted === 'Delete' ? 'Delete' : null;
  return configMapsIn(published.shards).flatMap((configMap) => {
    const isLabelled = configMap.labels[LABEL_POOL] === name;
    const isMarked = (configMap.annotations[ANNOTATION_WHEN_DELETED] ?? null) === removal;
    const noted = neverReadyOn(configMap);
    const left = noted.filter((worker) => !ready.has(worker));
    const isNoted = left.length === noted.length;
    const broken = brokenAnnotations(configMap);
    if (isLabelled && isMarked && isNoted && broken.length === 0) return [];
    const neverReady = left.length === 0 ? null : JSON.stringify(left);
    const metadata = {
      ...(!isLabelled && { labels: labelsOf(name) }),
      annotations: {
        [ANNOTATION_WHEN_DELETED]: removal,
        ...(!isNoted && { [ANNOTATION_NEVER_READY]: neverReady }),
        ...Object.fromEntries(broken.map((annotation) => [annotation, null])),
      },
    };
    return [patchStep(configMap, { metadata })];
  });
}
