// What becomes of an assignment whose pool has gone? It stays, unless the pool asked for its removal and went by itself.
import { kinds } from '../../api/kinds.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Decided, Decision, Step } from '../decision.ts';
import { ANNOTATION_WHEN_DELETED } from '../meta.ts';
import type { PublishedShard } from './published.ts';

/** With a definition all of its objects go, one by one: for so long it is watched whether there is one still. */
const CERTAIN_MS = 10_000;
const LOOK_MS = 1_000;

export type OrphanWorld = {
  /** What the pool wrote, and wanted to be removed with it (`assignments.whenDeleted: Delete`). */
  readonly marked: readonly ConfigMap[];
  /** Can there be pools at all? Not while the definition is being deleted. */
  readonly isServed: boolean;
  /** Since it was seen to be gone. */
  readonly goneMs: number;
};

/** A definition that is deleted, by mistake or for a new installation, must not take the streams of every worker along. */
export function decideOrphan({ marked, isServed, goneMs }: OrphanWorld): Decision {
  if (!isServed) return { steps: marked.map((it) => markStep(it, null)), asks: [] };
  if (goneMs < CERTAIN_MS) return { steps: [], asks: [], requeueAfterMs: Math.min(LOOK_MS, CERTAIN_MS - goneMs) };
  return { steps: marked.map((it) => ({ do: 'delete', kind: kinds.ConfigMap, ref: exactly(it) })), asks: [] };
}

/** A spec that changes its mind is followed: the operator that sees the pool go knows nothing of it but this. */
export function removalMarks({ assignments }: SwarmPoolSpec, published: readonly PublishedShard[]): readonly Step[] {
  const wanted = assignments.whenDeleted === 'Delete' ? 'Delete' : null;
  const others = published.filter(({ configMap }) => (configMap.annotations[ANNOTATION_WHEN_DELETED] ?? null) !== wanted);
  const distinct = [...new Map(others.map(({ configMap }) => [configMap.name, configMap])).values()];
  return distinct.map((configMap) => markStep(configMap, wanted));
}

const markStep = (configMap: ConfigMap, mark: string | null): Step => ({
  do: 'patch',
  kind: kinds.ConfigMap,
  ref: exactly(configMap),
  body: { metadata: { annotations: { [ANNOTATION_WHEN_DELETED]: mark } } },
});

const exactly = ({ name, namespace, uid, resourceVersion }: ConfigMap): Decided => ({ name, namespace, uid, resourceVersion });
