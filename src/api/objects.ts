// Which form does an unchecked API object have, and how is it read?
export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
};

export type ObjectMeta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
};

export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
};

/** The name of an object of some kind. */
export type Ref = { readonly namespace?: string; readonly name: string };

/** One object: a write with this reference has no effect on a successor of the same name. */
export type ExactRef = Ref & { readonly uid: string };

export const keyOf = (ref: Ref): string =>
  ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;

export function refOf(key: string): Ref {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * Compares resource versions of one kind as whole numbers, which Kubernetes has guaranteed since
 * 1.35, and every server with etcd did before.
 */
export function isNewer(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

/** Is this a valid object name? Any other text could change the path of a request. */
export const isName = (text: string): boolean =>
  text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text) && !text.includes('..');

// Readers of unchecked JSON: a value of another type counts as absent.
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isRecord(value) ? value : undefined;
export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name from outside may be `constructor`, which every object inherits. */
export const own = <Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

/**
 * The UID of the object that controls this one, if it has this kind and group: users can write
 * owner references, and any group may have a kind of the same name.
 */
type GroupKind = { readonly group: string; readonly kind: string };

export const controllerUid = (object: KubeObject, kind: GroupKind): string | undefined =>
  controllerOf(object, kind)?.uid;

export const controllerOf = (
  { metadata }: KubeObject,
  { group, kind }: GroupKind,
): OwnerReference | undefined =>
  metadata.ownerReferences?.find(
    (owner) =>
      owner.controller === true && owner.kind === kind && owner.apiVersion.startsWith(`${group}/`),
  );

/** Walks into unchecked JSON: `dig(pod, 'spec', 'nodeName')`. */
export function dig(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

/** The status conditions of one type: one, or none. */
export const conditionsOf = (object: KubeObject, type: string): readonly unknown[] =>
  asList(dig(object['status'], 'conditions')).filter((it) => dig(it, 'type') === type);

export const isKubeObject = (value: unknown): value is KubeObject =>
  brokenField(value) === undefined;

/** The first metadata field with a wrong type. Readers behind this check trust metadata. */
export function brokenField(value: unknown): string | undefined {
  const metadata = dig(value, 'metadata');
  if (!isRecord(metadata) || typeof metadata['name'] !== 'string') return 'metadata.name';
  const broken = Object.entries(metadataFields).find(
    ([field, isSound]) => metadata[field] !== undefined && !isSound(metadata[field]),
  );
  return broken && `metadata.${broken[0]}`;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);
const isOwner = (value: unknown): boolean =>
  ['apiVersion', 'kind', 'name', 'uid'].every((field) => isText(dig(value, field))) &&
  ['boolean', 'undefined'].includes(typeof dig(value, 'controller'));

const metadataFields: Readonly<
  Record<Exclude<keyof ObjectMeta, 'name'>, (value: unknown) => boolean>
> = {
  namespace: isText,
  uid: isText,
  resourceVersion: isText,
  generation: (value) => typeof value === 'number',
  creationTimestamp: isText,
  deletionTimestamp: isText,
  labels: isTexts,
  annotations: isTexts,
  ownerReferences: (value) => Array.isArray(value) && value.every(isOwner),
  finalizers: (value) => Array.isArray(value) && value.every(isText),
};
