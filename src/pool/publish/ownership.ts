// Whose is a ConfigMap?
import { own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { ANNOTATION_POOL, LABEL_POOL } from '../../core/meta.ts';
import { changeOf } from './notes.ts';

/**
 * Whose is a ConfigMap that is already there? Ours by its label, or, if somebody took that away, by
 * our note of the last change. A placeholder may be taken over while it does not hold our key.
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
