// How large are the texts in a ConfigMap? Measured once for each version of it.
import { type Size, together } from '../../../api/bounds.ts';
import { own } from '../../../api/objects.ts';
import type { ConfigMap } from '../../../api/observed.ts';
import { sizeOf } from '../../../api/yaml.ts';

const measured = new WeakMap<ConfigMap, Map<string, Size>>();

export function sizeOfKey(configMap: ConfigMap, key: string): Size {
  const known = measured.get(configMap) ?? new Map<string, Size>();
  measured.set(configMap, known);
  const size = known.get(key) ?? sizeOf(own(configMap.data, key) ?? '');
  known.set(key, size);
  return size;
}

export const sizeOfAll = (configMap: ConfigMap): Size =>
  together(Object.keys(configMap.data).map((key) => sizeOfKey(configMap, key)));
