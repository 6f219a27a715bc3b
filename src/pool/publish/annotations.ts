// Which of our annotations on a ConfigMap cannot be read? A user who may change the ConfigMap can
// write anything into them.
import { isVersion } from '../../api/assignment.ts';
import { isName, isRecord } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
} from '../../core/meta.ts';
import { changeOf, parsed } from './published.ts';

/** A list of texts, as JSON. */
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

/** Their names. Whatever reads these annotations ignores them. */
export const brokenAnnotations = ({
  annotations,
}: Pick<ConfigMap, 'annotations'>): readonly string[] =>
  Object.entries(readable).flatMap(([name, isReadable]) => {
    const text = annotations[name];
    return text === undefined || isReadable(text) ? [] : [name];
  });
