// How soon is a worker probed again that has something to confirm?

/** After a nudge, the kubelet updates the mounted files within 30 ms to a second. */
const QUICK_MS = [50, 50, 100, 100, 100, 100, 100, 150, 150, 150, 200, 200, 400, 800];
const QUICK_AT_LAST_MS = 1_000;
/** With many workers outstanding, more probes would cost more than a sooner answer is worth. */
const QUICK_PER_WORKER_MS = 2;
/** About a minute of quick probes; a worker that has not confirmed by then is slow or silent. */
const QUICK_PROBES = 60;
const PATIENT_MS = 10_000;

/**
 * After `probed` probes, in a pool with so many workers outstanding. The first probe is as soon for
 * many workers as for one: until then no worker is nudged again.
 */
export function pauseMs(probed: number, outstanding: number): number {
  if (probed > QUICK_PROBES) return PATIENT_MS;
  const quick = QUICK_MS[Math.max(0, probed - 1)] ?? QUICK_AT_LAST_MS;
  const shared = Math.min(outstanding * QUICK_PER_WORKER_MS, QUICK_AT_LAST_MS);
  return probed === 0 ? quick : Math.max(quick, shared);
}
