// Is a container alive, ready, started? Counts the answers of its probes as a kubelet does.
import { type Clock, sleep } from '../../../runtime/clock.ts';
import type { CheckResult } from './probe-check.ts';
import type { Probe } from './probe-spec.ts';

export type ProbeCount = {
  readonly successes: number;
  readonly failures: number;
  readonly verdict: 'unknown' | 'success' | 'failure';
};

export const nothingKnown: ProbeCount = { successes: 0, failures: 0, verdict: 'unknown' };

/**
 * The verdict changes only after as many answers of one kind in a row as the threshold asks for.
 */
export function counted(
  count: ProbeCount,
  isSuccess: boolean,
  probe: Pick<Probe, 'successThreshold' | 'failureThreshold'>,
): ProbeCount {
  const successes = isSuccess ? count.successes + 1 : 0;
  const failures = isSuccess ? 0 : count.failures + 1;
  if (successes >= probe.successThreshold) return { successes, failures, verdict: 'success' };
  if (failures >= probe.failureThreshold) return { successes, failures, verdict: 'failure' };
  return { successes, failures, verdict: count.verdict };
}

export type ProbeKind = 'liveness' | 'readiness' | 'startup';

export type ProbeListener = {
  readonly onVerdict: (kind: ProbeKind, isSuccess: boolean, message: string) => void;
  readonly onFailure: (kind: ProbeKind, message: string) => void;
};

export type ProbeRun = {
  readonly probe: Probe;
  readonly kind: ProbeKind;
  readonly check: (probe: Probe, signal: AbortSignal) => Promise<CheckResult>;
  readonly listener: ProbeListener;
  readonly clock: Clock;
};

/** Asks until the signal aborts; a startup probe also ends with its first success. */
export async function runProbe(
  { probe, kind, check, listener, clock }: ProbeRun,
  signal: AbortSignal,
): Promise<void> {
  await sleep(clock, probe.initialDelaySeconds * 1000, signal);
  let count = nothingKnown;
  while (!signal.aborted) {
    const askedAt = clock.monotonic();
    const answer = await check(probe, signal);
    if (signal.aborted) return;
    const next = counted(count, answer.isSuccess, probe);
    if (!answer.isSuccess) listener.onFailure(kind, answer.message);
    // A liveness or startup probe that goes on failing asks for the container's end each time: the
    // first time may have been lost.
    const isNews =
      next.verdict !== count.verdict || (kind !== 'readiness' && next.verdict === 'failure');
    if (isNews && next.verdict !== 'unknown')
      listener.onVerdict(kind, next.verdict === 'success', answer.message);
    if (kind === 'startup' && next.verdict === 'success') return;
    count = next;
    await sleep(
      clock,
      Math.max(0, probe.periodSeconds * 1000 - (clock.monotonic() - askedAt)),
      signal,
    );
  }
}
