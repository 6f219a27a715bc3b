// The loop of one probe of a container, counting results as a kubelet does.
import type { V1Probe } from '@kubernetes/client-node';
import { type Clock, sleep } from '../../../runtime/clock.ts';
import type { CheckResult } from './probe-check.ts';

export type ProbeCount = {
  readonly successes: number;
  readonly failures: number;
  readonly verdict: 'unknown' | 'success' | 'failure';
};

export const nothingKnown: ProbeCount = { successes: 0, failures: 0, verdict: 'unknown' };

/** The verdict changes after as many equal results in a row as the threshold says. */
export function counted(
  count: ProbeCount,
  isSuccess: boolean,
  { successThreshold = 1, failureThreshold = 3 }: V1Probe,
): ProbeCount {
  const successes = isSuccess ? count.successes + 1 : 0;
  const failures = isSuccess ? 0 : count.failures + 1;
  if (successes >= successThreshold) return { successes, failures, verdict: 'success' };
  if (failures >= failureThreshold) return { successes, failures, verdict: 'failure' };
  return { successes, failures, verdict: count.verdict };
}

export type ProbeKind = 'liveness' | 'readiness' | 'startup';

type ProbeRun = {
  readonly probe: V1Probe;
  readonly kind: ProbeKind;
  readonly check: (timeoutMs: number, signal: AbortSignal) => Promise<CheckResult>;
  readonly onVerdict: (isSuccess: boolean) => void;
  readonly onFailure: (message: string) => void;
  readonly clock: Clock;
};

/** Probes until the signal aborts; a startup probe also ends with its first success. */
export async function runProbe(
  { probe, kind, check, onVerdict, onFailure, clock }: ProbeRun,
  signal: AbortSignal,
): Promise<void> {
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe;
  await sleep(clock, initialDelaySeconds * 1000, signal);
  let count = nothingKnown;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    const { isSuccess, message } = await check(timeoutSeconds * 1000, signal);
    if (signal.aborted) return;
    const next = counted(count, isSuccess, probe);
    if (!isSuccess) onFailure(message);
    // A failing liveness or startup probe reports each failure: the first may have had no effect.
    const isNews =
      next.verdict !== count.verdict || (kind !== 'readiness' && next.verdict === 'failure');
    if (isNews && next.verdict !== 'unknown') onVerdict(next.verdict === 'success');
    if (kind === 'startup' && next.verdict === 'success') return;
    count = next;
    const elapsed = clock.monotonic() - startedAt;
    await sleep(clock, Math.max(0, periodSeconds * 1000 - elapsed), signal);
  }
}
