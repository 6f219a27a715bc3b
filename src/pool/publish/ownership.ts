// Does a ConfigMap belong to a pool?
import { own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { ANNOTATION_POOL, LABEL_POOL } from '../../core/meta.ts';
import { changeOf } from './notes.ts';

/**
 * It does by its label, or, where that was removed, by the note of the last change. A placeholder
 * may be taken over while it lacks the key.
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
