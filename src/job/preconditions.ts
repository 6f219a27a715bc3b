// What keeps the operator from deciding about a job? The first obstacle counts.
import { templateConflict } from '../api/swarm-job.ts';
import type { SwarmJobSpec } from '../api/validate.ts';
import { type BlockedBy, firstRefusal, invalidSpec, stalled } from '../core/blocked.ts';
import type { JobObstacleReason } from './reasons.ts';
import type { JobWorld } from './world.ts';

type PreconditionResult =
  | { readonly ok: true; readonly spec: SwarmJobSpec }
  | { readonly ok: false; readonly blocked: BlockedBy<JobObstacleReason> };

export function checkPreconditions({ job: { spec } }: Pick<JobWorld, 'job'>): PreconditionResult {
  if (!spec.ok) return { ok: false, blocked: invalidSpec(spec.problems) };
  const blocked = firstRefusal(checks, spec.value);
  return blocked === undefined ? { ok: true, spec: spec.value } : { ok: false, blocked };
}

const checks = [stalled<SwarmJobSpec, JobObstacleReason>('TemplateConflict', templateConflict)];
