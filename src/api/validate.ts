// Is this object what its CRD says? Validators made from crds/ turn it into a typed value or
// problems.
import type { ErrorObject } from 'ajv';
import type { SwarmPoolSpec, SwarmPoolStatus } from './generated/types.ts';
import { validateSwarmPoolSpec, validateSwarmPoolStatus } from './generated/validators.cjs';
import { asRecord, type KubeObject } from './objects.ts';
import { oneLine } from './one-line.ts';

export type { PoolStream, SwarmPoolSpec, SwarmPoolStatus } from './generated/types.ts';

/** `message` says what stands in the field and what may stand there. */
export type Problem = { readonly field: string; readonly message: string };

type PoolMeta = {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isDeleting: boolean;
};

/** How many streams a spec names, and how long it is as JSON. */
export type SpecSize = { readonly streams: number; readonly characters: number };

export type SwarmPool = {
  readonly meta: PoolMeta;
  /**
   * Withheld: without its streams, for which there is no room in memory. Problems: it was stored
   * before the schema changed, or by a server without the schema.
   */
  readonly spec:
    | { readonly ok: true; readonly value: SwarmPoolSpec; readonly withheld?: SpecSize }
    | { readonly ok: false; readonly problems: readonly Problem[] };
  /** Undefined where it is not what the operator could have written. */
  readonly status: SwarmPoolStatus | undefined;
};

export function parseSwarmPool(object: KubeObject): SwarmPool {
  const { metadata } = object;
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
    spec: parseSpec(object['spec']),
    status: parseStatus(object['status']),
  };
}

function parseSpec(spec: unknown): SwarmPool['spec'] {
  const candidate: unknown = structuredClone(asRecord(spec) ?? {});
  return validateSwarmPoolSpec(candidate)
    ? { ok: true, value: candidate }
    : { ok: false, problems: problemsOf('spec', validateSwarmPoolSpec.errors ?? []) };
}

function parseStatus(status: unknown): SwarmPoolStatus | undefined {
  const candidate: unknown = structuredClone(status);
  return validateSwarmPoolStatus(candidate) ? candidate : undefined;
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
    // Keys and values come from the user, and may have line breaks.
    return {
      field: oneLine(field, LONGEST_FIELD),
      message: oneLine(`${error.message ?? 'is not allowed'}${allowed}${found}`, LONGEST_RULE),
    };
  });
}
