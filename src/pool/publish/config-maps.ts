// Which ConfigMaps belong to a pool, how are they marked, and which marks cannot be read?
import { kinds } from '../../api/kinds.ts';
import { isName, isRecord, own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { parseJson } from '../../api/text.ts';
import type { SwarmPool } from '../../api/validate.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../../core/labels.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_POOL,
  ANNOTATION_RESTARTED,
  LABEL_POOL,
} from '../labels.ts';
import type { PoolEvent } from '../reasons.ts';
import type { Published, PublishedShard } from '../world.ts';
import { changeOf, readRestart } from './notes.ts';

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

/** Not those that another owner has under a name that the spec names. */
export const ownShards = (
  { meta }: SwarmPool,
  { shards }: Pick<Published, 'shards'>,
): readonly PublishedShard[] =>
  shards.filter(({ configMap, key }) => ownership(configMap, meta.name, key) !== 'foreign');

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

const isTexts = (text: string): boolean => {
  const value = parseJson(text);
  return Array.isArray(value) && value.every((it) => typeof it === 'string');
};

const isRestarts = (text: string): boolean => {
  const value = parseJson(text);
  return isRecord(value) && Object.values(value).every((it) => readRestart(it) !== undefined);
};

/** Users can write anything into them. */
const readable: Readonly<Record<string, (text: string) => boolean>> = {
  [ANNOTATION_CHANGE]: (text) =>
    changeOf({ annotations: { [ANNOTATION_CHANGE]: text } }) !== undefined,
  [ANNOTATION_MOVED_TO]: isName,
  [ANNOTATION_NEVER_READY]: isTexts,
  [ANNOTATION_OUTDATED]: isTexts,
  [ANNOTATION_RESTARTED]: isRestarts,
};

/** Their names. The operator ignores these annotations. */
export const brokenAnnotations = ({
  annotations,
}: Pick<ConfigMap, 'annotations'>): readonly string[] =>
  Object.entries(readable).flatMap(([name, isReadable]) => {
    const text = annotations[name];
    return text === undefined || isReadable(text) ? [] : [name];
  });

/** One event for each ConfigMap; the operator also removes the annotations. */
export const ignoredEvents = (shards: readonly PublishedShard[]): readonly PoolEvent[] =>
  configMapsIn(shards).flatMap((configMap) => {
    const broken = brokenAnnotations(configMap);
    if (broken.length === 0) return [];
    const message = `ConfigMap ${configMap.name}: the operator ignores and removes ${broken.join(', ')}: invalid value`;
    return [{ type: 'Warning', reason: 'AnnotationIgnored', action: 'Read', message }];
  });
