// What is told of a pool that nothing could be decided about, since gathering or deciding itself failed?
import type { SwarmPool } from '../../api/validate.ts';
import type { Decision, Refusal } from '../decision.ts';
import { statusSteps } from './decide.ts';
import type { Blocked } from './obstacles.ts';
import { statusWhenBlocked } from './report/status.ts';

/** By the pool alone: what else there is may be what it failed at. `refused`: by the API server; else a mistake of ours, whose words may show content. */
export function decideFailed(pool: SwarmPool, refused: Refusal | undefined, now: number): Decision {
  if (pool.meta.isDeleting) return { steps: [], asks: [] };
  const why = refused === undefined ? "the operator's log tells why" : `${refused.reason}: ${refused.message}`;
  const blocked: Blocked = {
    reason: 'DecisionFailed',
    message: `nothing could be decided about this pool (${why}); what was published stays in force`,
    isStalled: true,
  };
  return { steps: statusSteps({ pool }, statusWhenBlocked({ pool, published: [], targets: [] }, blocked, now)), asks: [] };
}
