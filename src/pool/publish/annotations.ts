// Which of our annotations on a ConfigMap cannot be read? Its users can write anything into them.
import { isVersion } from '../../api/assignment.ts';
import { isName, isRecord } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
} from '../labels.ts';
import type { PoolEvent } from '../reasons.ts';
import { configMapsIn } from './config-maps.ts';
import { changeOf, parsed } from './notes.ts';
import type { PublishedShard } from './published.ts';

const isTexts = (text: string): boolean => {
  const value = parsed(text);
  return Array.isArray(value) && value.every((it) => typeof it === 'string');
};

const isVersions = (text: string): boolean => {
  const value = parsed(text);
  return isRecord(value) && Object.values(value).every(isVersion);
};

const readable: Readonly<Record<string, (text: string) => boolean>> = {
  [ANNOTATION_CHANGE]: (text) =>
    changeOf({ annotations: { [ANNOTATION_CHANGE]: text } }) !== undefined,
  [ANNOTATION_MOVED_TO]: isName,
  [ANNOTATION_NEVER_READY]: isTexts,
  [ANNOTATION_OUTDATED]: isTexts,
  [ANNOTATION_RESTARTED]: isVersions,
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
    const message = `ConfigMap ${configMap.name}: the operator ignores and removes ${broken.join(', ')}, which cannot be read`;
    return [{ type: 'Warning', reason: 'AnnotationIgnored', action: 'Read', message }];
  });
