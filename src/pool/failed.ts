// What does status say of a pool when observing or deciding failed?
import type { SwarmPool } from '../api/validate.ts';
import type { Decision, Refusal } from '../core/decision.ts';
import type { Blocked } from './preconditions.ts';
import { publishedNow } from './publish/published.ts';
import { statusSteps } from './status/steps.ts';
import { statusWhenBlocked } from './status.ts';

/**
 * Uses the pool alone: any other object may be the cause. `refused` undefined means a bug of the
 * operator; its error message is not shown, since it may quote a user's text.
 */
export function decideFailed(pool: SwarmPool, refused: Refusal | undefined, now: number): Decision {
  if (pool.meta.isDeleting) return { steps: [] };
  const why =
    refused === undefined
      ? "the operator's log tells why"
      : `${refused.reason}: ${refused.message}`;
  const blocked: Blocked = {
    reason: 'DecisionFailed',
    message: `the operator could not decide about this pool (${why}); what was published stays in force`,
    isStalled: true,
  };
  return {
    steps: statusSteps(
      { pool },
      statusWhenBlocked({ pool, published: publishedNow([]), targets: [] }, blocked, now),
    ),
  };
}
