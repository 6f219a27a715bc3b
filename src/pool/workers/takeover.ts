// When do other workers take over the streams of a worker that is down? The status names the rule,
// which stays the same while time passes.
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { type Availability, failoverRules, hasAny } from './availability.ts';
import type { PoolWorker } from './workers.ts';

export type Takeover =
  /** After this time without a Ready pod; `leftMs` is the remaining part. */
  | { readonly when: 'After'; readonly seconds: number; readonly leftMs: number }
  /** The time is over. */
  | { readonly when: 'Now' }
  /** When the pool is resumed. */
  | { readonly when: 'Paused' }
  /** Not while more workers than this are away. */
  | { readonly when: 'Suspended'; readonly most: number | string }
  /** When another worker is Ready. */
  | { readonly when: 'NoOthers' }
  | { readonly when: 'Never'; readonly isExclusive: boolean };

export function takeoverOf(
  { key, hasFailed }: Pick<PoolWorker, 'key' | 'hasFailed'>,
  { presence, failover }: Pick<Availability, 'presence' | 'failover'>,
  spec: SwarmPoolSpec,
  isPaused: boolean,
): Takeover {
  const { afterMs, neverReadyAfterMs, most } = failoverRules(spec);
  const { neverReadyMs = {}, missingMs, readyMs } = presence;
  const waited = neverReadyMs[key];
  if (waited === undefined && afterMs === undefined)
    return { when: 'Never', isExclusive: spec.workers.failover?.policy === undefined };
  if (isPaused) return { when: 'Paused' };
  if (hasFailed) return { when: 'Now' };
  if (waited === undefined && failover.isSuspended) return { when: 'Suspended', most };
  if (!hasAny(readyMs)) return { when: 'NoOthers' };
  return waited === undefined
    ? after(afterMs ?? neverReadyAfterMs, missingMs[key])
    : after(neverReadyAfterMs, waited);
}

const after = (limitMs: number, ageMs = 0): Takeover => ({
  when: 'After',
  seconds: limitMs / 1_000,
  leftMs: Math.max(0, limitMs - ageMs),
});

const LIMIT = '(spec.workers.failover.timeoutSeconds)';

/** `leftMs` is the remaining time, if known; the status names only the rule. */
export function takeoverText(takeover: Takeover, leftMs?: number): string {
  switch (takeover.when) {
    case 'After':
      return leftMs === undefined
        ? `other workers take over its streams after ${takeover.seconds} s ${LIMIT}`
        : `other workers take over its streams in ${Math.ceil(leftMs / 1_000)} s ${LIMIT}`;
    case 'Now':
      return `other workers take over its streams now ${LIMIT}`;
    case 'Paused':
      return 'its streams stay with it while the pool is paused';
    case 'Suspended':
      return `its streams stay with it while more than ${takeover.most} of the workers are away (spec.workers.failover.maxUnavailable)`;
    case 'NoOthers':
      return 'its streams stay with it while no other worker is Ready';
    case 'Never':
      return `its streams stay with it until its pod is back (${takeover.isExclusive ? 'handoff.type Exclusive has no failover' : 'spec.workers.failover.policy Never'})`;
    default:
      return takeover satisfies never;
  }
}
