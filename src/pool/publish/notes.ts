// What does the operator note on a ConfigMap besides the assignment?
import { isVersion, textDigest } from '../../api/assignment.ts';
import { asList, asString, dig, isRecord, own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { parseJson } from '../../api/text.ts';
import { ANNOTATION_CHANGE, ANNOTATION_NEVER_READY } from '../labels.ts';
import type { NotedRestart, PublishedChange } from '../world.ts';

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
};

export const neverReadyOn = ({ annotations }: ConfigMap): readonly string[] =>
  textsIn(annotations[ANNOTATION_NEVER_READY]);

export function changeOf({ annotations }: Pick<ConfigMap, 'annotations'>): ChangeNote | undefined {
  const value = parseJson(annotations[ANNOTATION_CHANGE]);
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
export function readRestart(value: unknown): NotedRestart | undefined {
  if (isVersion(value)) return { version: value, podUid: '' };
  const version = dig(value, 'version');
  const podUid = asString(dig(value, 'podUid'));
  return isVersion(version) && podUid !== undefined ? { version, podUid } : undefined;
}
