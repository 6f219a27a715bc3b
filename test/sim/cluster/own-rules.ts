// Which objects of our kinds does the API server accept? Those that the CRDs allow, checked as
// swarmctl validate checks them.
import {
  validateSwarmGroupStatus,
  validateSwarmJobStatus,
  validateSwarmPoolStatus,
  validateSwarmQueueStatus,
} from '../../../src/api/generated/validators.cjs';
import type { OwnKindName } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { type Problem, problemsOf } from '../../../src/api/own-object.ts';
import { checkSpec } from '../../../src/cli/validate/check.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';

const statusValidators = {
  SwarmPool: validateSwarmPoolStatus,
  SwarmGroup: validateSwarmGroupStatus,
  SwarmQueue: validateSwarmQueueStatus,
  SwarmJob: validateSwarmJobStatus,
} as const;

/**
 * Returns the object with its defaults. `before`: the stored object; undefined: the object is being
 * created.
 */
export function admitOwn(
  kind: OwnKindName,
  object: KubeObject,
  before: KubeObject | undefined,
): KubeObject {
  // The stored spec was checked when it was written.
  if (before !== undefined && object['spec'] === before['spec']) return object;
  const given = { ...object, spec: object['spec'] ?? {} };
  const { spec, problems } = checkSpec(kind, given, before);
  if (problems.length === 0) return { ...object, spec };
  throw invalid(`${kind}.k8slab.info "${object.metadata.name}" is invalid: `, problems);
}

export function checkOwnStatus(kind: OwnKindName, status: unknown): void {
  const candidate: unknown = structuredClone(status);
  const validate = statusValidators[kind];
  if (validate(candidate)) return;
  throw invalid('', problemsOf('status', validate.errors ?? []));
}

function invalid(head: string, problems: readonly Problem[]): KubeError {
  const told = problems.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return new KubeError('Invalid', `${head}${told}`, { status: 422 });
}
