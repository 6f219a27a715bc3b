// How is an object of one of our kinds parsed? Validators generated from crds/ turn its spec and
// its status into typed values or problems.
import type { ErrorObject } from 'ajv';
import { asRecord, type KubeObject } from './objects.ts';
import { oneLine } from './text.ts';

/** `message` contains the field's value and the allowed values. */
export type Problem = { readonly field: string; readonly message: string };

export type OwnMeta = {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isDeleting: boolean;
};

type Aged = Pick<OwnMeta, 'creationTimestamp' | 'name'>;

/**
 * If several objects claim something, the oldest keeps it; of the same age, the one with the
 * smaller name.
 */
export const byAge = (a: Aged, b: Aged): number => (ageOrder(a) < ageOrder(b) ? -1 : 1);

const ageOrder = ({ creationTimestamp, name }: Aged): string => `${creationTimestamp} ${name}`;

/** Does `other` keep what both claim? An object that is being deleted keeps nothing. */
export const hasPriority = (other: OwnMeta, own: OwnMeta): boolean =>
  other.uid !== own.uid && !other.isDeleting && ageOrder(other) < ageOrder(own);

export type OwnObject<Spec, Status> = {
  readonly meta: OwnMeta;
  /** Problems: it was stored before the schema changed, or by a server without the schema. */
  readonly spec:
    | { readonly ok: true; readonly value: Spec }
    | { readonly ok: false; readonly problems: readonly Problem[] };
  /** Undefined if it is not a status that the operator could have written. */
  readonly status: Status | undefined;
};

/** A validator as ajv generates it: fills in defaults, and stores its errors in a property. */
type Validator<T> = {
  (value: unknown): value is T;
  errors?: readonly ErrorObject[] | null;
};

export function parseOwnObject<Spec, Status>(
  { metadata, spec, status }: KubeObject,
  isSpec: Validator<Spec>,
  isStatus: Validator<Status>,
): OwnObject<Spec, Status> {
  const ownSpec: unknown = structuredClone(asRecord(spec) ?? {});
  const ownStatus: unknown = structuredClone(status);
  return {
    meta: {
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      generation: metadata.generation ?? 0,
      creationTimestamp: metadata.creationTimestamp ?? '',
      annotations: metadata.annotations ?? {},
      isDeleting: metadata.deletionTimestamp !== undefined,
    },
    spec: isSpec(ownSpec)
      ? { ok: true, value: ownSpec }
      : { ok: false, problems: problemsOf('spec', isSpec.errors ?? []) },
    status: isStatus(ownStatus) ? ownStatus : undefined,
  };
}

const LONGEST_FIELD = 300;
const LONGEST_RULE = 600;

/** `spec.workers.capacity: "x" is not an integer` rather than a path and a keyword. */
export function problemsOf(root: string, errors: readonly ErrorObject[]): readonly Problem[] {
  return errors.map((error) => {
    const field =
      root + error.instancePath.replaceAll('/', '.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    const allowed =
      error.keyword === 'enum' ? `: ${JSON.stringify(error.params['allowedValues'])}` : '';
    const found =
      error.data === undefined || typeof error.data === 'object'
        ? ''
        : ` (found ${JSON.stringify(error.data).slice(0, 60)})`;
    // Keys and values come from the user, and may contain line breaks.
    return {
      field: oneLine(field, LONGEST_FIELD),
      message: oneLine(`${ruleOf(error)}${allowed}${found}${hintOf(error)}`, LONGEST_RULE),
    };
  });
}

const typesOf = ({ keyword, params }: ErrorObject): readonly unknown[] =>
  keyword === 'type' ? [params['type'] as unknown].flat() : [];

function ruleOf(error: ErrorObject): string {
  const types = typesOf(error);
  return types.length > 1 ? `must be ${types.join(' or ')}` : (error.message ?? 'is not allowed');
}

/** The correct spelling if a text lacks its quotes, or a number has them. */
function hintOf(error: ErrorObject): string {
  const types = typesOf(error);
  const found: unknown = error.data;
  if (types.includes('string')) {
    const hint =
      typeof found === 'number' && types.length > 1
        ? `write ${JSON.stringify(String(found))}`
        : unquotedHint(found);
    return hint === undefined ? '' : `: ${hint}`;
  }
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && typeof found === 'string' && /^-?\d{1,9}$/.test(found)
    ? `: write ${Number(found)} without quotes`
    : '';
}

/** The correct spelling if a text was meant, and YAML read another type. */
export function unquotedHint(found: unknown): string | undefined {
  if (typeof found === 'number') return 'write it in quotes';
  return typeof found === 'boolean'
    ? `write it in quotes; YAML reads ${found ? 'on, yes and y' : 'off, no and n'} without them as ${found}`
    : undefined;
}
