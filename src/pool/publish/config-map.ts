// Does a ConfigMap belong to a pool, what does the operator note on it besides the assignment, and
// which notes are to be corrected?
import { isVersion, textDigest } from '../../api/assignment.ts';
import { type Size, together } from '../../api/bounds.ts';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, isName, isRecord, own } from '../../api/objects.ts';
import type { ConfigMap, Pod } from '../../api/observed.ts';
import { parseJson } from '../../api/text.ts';
import type { SwarmPool, SwarmPoolSpec } from '../../api/validate.ts';
import { sizeOf } from '../../api/yaml.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../../core/labels.ts';
import { memoize } from '../../core/memoize.ts';
import type { PoolEvent } from '../reasons.ts';
import type {
  NotedRestart,
  PoolWorld,
  Published,
  PublishedChange,
  PublishedShard,
} from '../world.ts';

export const LABEL_POOL = 'k8slab.info/pool';

/** On a ConfigMap made as a placeholder: this pool may take it over. */
export const ANNOTATION_POOL = 'k8slab.info/pool';
/** On a ConfigMap: its last change, so that a crash between two writes loses no line of history. */
export const ANNOTATION_CHANGE = 'k8slab.info/change';
/** On a ConfigMap: delete it with its pool (`assignments.whenDeleted: Delete`). */
export const ANNOTATION_WHEN_DELETED = 'k8slab.info/when-deleted';
/** On a ConfigMap that the pool has left: the ConfigMap where it is published now. */
export const ANNOTATION_MOVED_TO = 'k8slab.info/moved-to';
/** On a ConfigMap: UIDs of pods that only a restart brings up to date. */
export const ANNOTATION_OUTDATED = 'k8slab.info/outdated-pods';
/** On a ConfigMap: for which version a worker was restarted, and which pod that was. */
export const ANNOTATION_RESTARTED = 'k8slab.info/restarted';
/** On a ConfigMap: workers that were given streams and were never seen Ready. */
export const ANNOTATION_NEVER_READY = 'k8slab.info/never-ready';

/**
 * The pool's by its label, or, if that was removed, by the note of the last change. A placeholder
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

export type ChangeNote = PublishedChange & {
  /** Earlier changes that status may lack, newest first: so no crash loses a line of history. */
  readonly earlier: readonly PublishedChange[];
  /** The key and the digest of the text that the operator wrote: another text is an edit. */
  readonly key?: string;
  readonly digest?: string;
  /** With streamPolicy.completion Once: how many completed streams the assignment records. */
  readonly completed?: number;
  /** Ordinals of workers that were cordoned then; left out: none was. */
  readonly cordoned?: readonly number[];
  /** The version with which a removal that a user confirmed was followed last. */
  readonly confirmedAt?: number;
  /** A removal was held then. */
  readonly isHeld?: true;
};

export const neverReadyOn = ({ annotations }: ConfigMap): readonly string[] =>
  textsIn(annotations[ANNOTATION_NEVER_READY]);

export const changeOf = ({ annotations }: Pick<ConfigMap, 'annotations'>): ChangeNote | undefined =>
  noteIn(annotations).note;

/** Read once: a pool may have a hundred ConfigMaps, and each of its writes asks for all notes. */
const noteIn = memoize((annotations: ConfigMap['annotations']) => ({
  note: readNote(annotations[ANNOTATION_CHANGE]),
}));

function readNote(text: string | undefined): ChangeNote | undefined {
  const value = parseJson(text);
  const change = readChange(value);
  if (change === undefined) return undefined;
  const key = asString(dig(value, 'key'));
  const digest = asString(dig(value, 'digest'));
  const completed = dig(value, 'completed');
  const earlier = asList(dig(value, 'earlier'))
    .slice(0, MOST_EARLIER)
    .flatMap((it) => readChange(it) ?? []);
  const confirmedAt = dig(value, 'confirmedAt');
  const cordoned = asList(dig(value, 'cordoned')).slice(0, MOST_CORDONED).filter(isCount);
  return {
    ...change,
    earlier,
    ...(key !== undefined && { key }),
    ...(digest !== undefined && { digest }),
    ...(isCount(completed) && { completed }),
    ...(cordoned.length > 0 && { cordoned }),
    ...(isVersion(confirmedAt) && { confirmedAt }),
    ...(dig(value, 'isHeld') === true && { isHeld: true }),
  };
}

function readChange(value: unknown): PublishedChange | undefined {
  if (!isRecord(value)) return undefined;
  const { version, moves, reason, time } = value;
  const isWhole =
    isVersion(version) &&
    isCount(moves) &&
    isMatch(REASON, reason) &&
    isMatch(TIME, time) &&
    !Number.isNaN(Date.parse(time));
  return isWhole ? { version, moves, reason, time } : undefined;
}

/** One note that the API server refuses in status would block every status write. */
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isMatch = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

const REASON = /^[A-Za-z]{1,64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** The length of a history. */
const MOST_EARLIER = 20;
/** As many as spec.workers.cordoned may name. */
const MOST_CORDONED = 1_000;

/** Once for each version of a ConfigMap: the digest of 100,000 names takes 5 ms. */
const edited = new WeakMap<ConfigMap, boolean>();

type Noted = { readonly configMap: ConfigMap; readonly key: string };

/** Did a user or another program change the text since the operator wrote it? */
export function isEdited({ configMap, key }: Noted): boolean {
  const note = changeOf(configMap);
  const text = own(configMap.data, key);
  if (note?.digest === undefined || note.key !== key || text === undefined) return false;
  const isOther = edited.get(configMap) ?? textDigest(text) !== note.digest;
  edited.set(configMap, isOther);
  return isOther;
}

/** By key. Each text is measured once for each version of a ConfigMap. */
const measured = memoize((_: ConfigMap) => new Map<string, Size>());

export function sizeOfKey(configMap: ConfigMap, key: string): Size {
  const known = measured(configMap);
  const size = known.get(key) ?? sizeOf(own(configMap.data, key) ?? '');
  known.set(key, size);
  return size;
}

export const sizeOfAll = (configMap: ConfigMap): Size =>
  together(Object.keys(configMap.data).map((key) => sizeOfKey(configMap, key)));

export function textsIn(text: string | undefined): readonly string[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.flatMap((uid) => asString(uid) ?? []) : [];
}

export function restartsIn(text: string | undefined): Readonly<Record<string, NotedRestart>> {
  const value = parseJson(text);
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([worker, it]) => {
      const noted = readRestart(it);
      return noted === undefined ? [] : [[worker, noted]];
    }),
  );
}

/** The first release noted a number alone. */
function readRestart(value: unknown): NotedRestart | undefined {
  if (isVersion(value)) return { version: value, podUid: '' };
  const version = dig(value, 'version');
  const podUid = asString(dig(value, 'podUid'));
  return isVersion(version) && podUid !== undefined ? { version, podUid } : undefined;
}

/** Workers become Ready one after the other: several are removed in one write. */
const REMOVE_EVERY_MS = 2_000;

/** Which of the noted workers have become Ready? The last ones at once, others together. */
export function becameReady(
  { published, ages }: PoolWorld,
  workers: readonly { readonly name: string; readonly pod: Pod | undefined }[],
): { readonly names: ReadonlySet<string>; readonly nextInMs: number | undefined } {
  const known = published.neverReady;
  const ready = new Set(
    workers.flatMap(({ name, pod }) => (pod?.isReady === true && known.has(name) ? [name] : [])),
  );
  const left = REMOVE_EVERY_MS - ages.publishedMs;
  if (ready.size === 0 || ready.size === known.size || left <= 0)
    return { names: ready, nextInMs: undefined };
  return { names: new Set(), nextInMs: left };
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
