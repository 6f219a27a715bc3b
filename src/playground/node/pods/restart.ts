// Whether a container may be restarted, and after which back-off.
import type { V1Container } from '@kubernetes/client-node';
import { isSidecar, type NodePod } from './pod-spec.ts';

/** As a kubelet's: 10 s, doubled with each crash, up to 5 minutes; forgotten after twice that. */
export const RESTART_BASE_MS = 10_000;
const LONGEST_FACTOR = 30;

/** The number of crashes in a row after one more. */
export const afterExit = (crashes: number, ranMs: number, baseMs: number): number =>
  ranMs > 2 * LONGEST_FACTOR * baseMs ? 1 : crashes + 1;

/** The first restart comes at once, the second waits. */
export const backoffMs = (crashes: number, baseMs: number): number =>
  crashes <= 1 ? 0 : Math.min(baseMs * 2 ** (crashes - 2), LONGEST_FACTOR * baseMs);

export function mayRestart(pod: NodePod, container: V1Container, exitCode: number): boolean {
  const { restartPolicy = 'Always' } = pod.spec;
  if (isSidecar(container)) return true;
  // With Always an init container is restarted until it succeeds.
  if (restartPolicy === 'Always') return exitCode !== 0 || pod.containers.includes(container);
  return restartPolicy === 'OnFailure' && exitCode !== 0;
}
