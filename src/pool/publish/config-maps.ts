// Which ConfigMaps belong to a pool, and how are they marked?
import { kinds } from '../../api/kinds.ts';
import { own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../../core/labels.ts';
import { ANNOTATION_POOL, LABEL_POOL } from '../labels.ts';
import { changeOf } from './notes.ts';
import type { PublishedShard } from './published.ts';

/**
 * Ours by its label, or, where that was removed, by the note of the last change. A placeholder may
 * be taken over while it lacks the key.
 */
export function ownership(
  configMap: ConfigMap,
  pool: string,
  key: string,
): 'ours' | 'placeholder' | 'foreign' {
  const label = configMap.labels[LABEL_POOL];
  if (label === pool || (label === undefined && changeOf(configMap) !== undefined)) return 'ours';
  const isPlaceholder =
    configMap.annotations[ANNOTATION_POOL] === pool && own(configMap.data, key) === undefined;
  return isPlaceholder ? 'placeholder' : 'foreign';
}

/** Each ConfigMap once, of those that hold several keys. */
export const configMapsIn = (shards: readonly PublishedShard[]): readonly ConfigMap[] => [
  ...new Map(shards.map(({ configMap }) => [configMap.name, configMap])).values(),
];

export const labelsOf = (pool: string): Readonly<Record<string, string>> => ({
  [LABEL_POOL]: pool,
  [LABEL_MANAGED_BY]: MANAGER,
});

export const patchStep = (configMap: ConfigMap, body: object): Step => ({
  do: 'patch',
  kind: kinds.ConfigMap,
  ref: versionedRefOf(configMap),
  body,
});
