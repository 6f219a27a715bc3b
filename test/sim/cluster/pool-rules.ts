// Which SwarmPools does the API server accept? Those that the CRD allows, checked as swarmctl
// validate checks them.
import { validateSwarmPoolStatus } from '../../../src/api/generated/validators.cjs';
import type { KubeObject } from '../../../src/api/objects.ts';
import { type Problem, problemsOf } from '../../../src/api/own-object.ts';
import { checkPool } from '../../../src/cli/validate/check.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';

/**
 * Returns the pool with its defaults. `before`: the stored pool; undefined: the pool is being
 * created.
 */
export function admitPool(pool: KubeObject, before: KubeObject | undefined): KubeObject {
  // The stored spec was checked when it was written.
  if (before !== undefined && pool['spec'] === before['spec']) return pool;
  const { spec, problems } = checkPool({ ...pool, spec: pool['spec'] ?? {} }, before);
  if (problems.length === 0) return { ...pool, spec };
  throw invalid(`SwarmPool.k8slab.info "${pool.metadata.name}" is invalid: `, problems);
}

export function checkPoolStatus(status: unknown): void {
  const candidate: unknown = structuredClone(status);
  if (validateSwarmPoolStatus(candidate)) return;
  throw invalid('', problemsOf('status', validateSwarmPoolStatus.errors ?? []));
}

function invalid(head: string, problems: readonly Problem[]): KubeError {
  const told = problems.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return new KubeError('Invalid', `${head}${told}`, { status: 422 });
}
