// What keeps the operator from deciding about a job? The first refusal counts.
import { MOST_PROBLEMS } from '../api/bounds.ts';
import { notSupported, templateConflict } from '../api/swarm-job.ts';
import type { SwarmJobSpec } from '../api/validate.ts';
import { type BlockedBy, firstRefusal, stalled } from '../core/blocked.ts';
import type { JobObstacleReason } from './reasons.ts';
import type { JobWorld } from './world.ts';

type PreconditionResult =
  | { readonly ok: true; readonly spec: SwarmJobSpec }
  | { readonly ok: false; readonly blocked: BlockedBy<JobObstacleReason> };

export function checkPreconditions({ job: { spec } }: Pick<JobWorld, 'job'>): PreconditionResult {
  if (!spec.ok) {
    const message = spec.problems
      .slice(0, MOST_PROBLEMS)
      .map((problem) => `${problem.field}: ${problem.message}`)
      .join('; ');
    return { ok: false, blocked: { reason: 'InvalidSpec', message, isStalled: true } };
  }
  const blocked = firstRefusal(checks, spec.value);
  return blocked === undefined ? { ok: true, spec: spec.value } : { ok: false, blocked };
}

const checks = [
  stalled<SwarmJobSpec, JobObstacleReason>('NotSupportedYet', (spec) => {
    const what = notSupported(spec);
    return what && `spec.${what} is not supported by this version of the operator`;
  }),
  stalled<SwarmJobSpec, JobObstacleReason>('TemplateConflict', templateConflict),
];
