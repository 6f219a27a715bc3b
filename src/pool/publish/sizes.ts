// How large are the texts in a ConfigMap? Each version is measured once.
import { type Size, together } from '../../api/bounds.ts';
import { own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { sizeOf } from '../../api/yaml.ts';
import { memoize } from '../../core/memoize.ts';

const measured = memoize((_: ConfigMap) => new Map<string, Size>());

export function sizeOfKey(configMap: ConfigMap, key: string): Size {
  const known = measured(configMap);
  const size = known.get(key) ?? sizeOf(own(configMap.data, key) ?? '');
  known.set(key, size);
  return size;
}

export const sizeOfAll = (configMap: ConfigMap): Size =>
  together(Object.keys(configMap.data).map((key) => sizeOfKey(configMap, key)));
