// Whether a container may be restarted, and after which back-off.
import type { V1Container } from '@kubernetes/client-node';
import { isSidecar, type NodePod } from './pod-spec.ts';

/** Of the crashes in a row: how many, and when the last one ended. */
export type Backoff = { readonly crashes: number; readonly endedAt: number };

/** As a kubelet's: 10 s, doubled with each crash, up to 5 minutes; forgotten after twice that. */
export const RESTART_BASE_MS = 10_000;
const LONGEST_FACTOR = 30;

export function afterExit(
  previous: Backoff | undefined,
  startedAt: number,
  endedAt: number,
  baseMs: number,
): Backoff {
  const ranLong = endedAt - startedAt > 2 * LONGEST_FACTOR * baseMs;
  return { crashes: previous === undefined || ranLong ? 1 : previous.crashes + 1, endedAt };
}

/** The first restart comes at once, the second waits. */
export function backoffMs({ crashes }: Backoff, baseMs: number): number {
  return crashes <= 1 ? 0 : Math.min(baseMs * 2 ** (crashes - 2), LONGEST_FACTOR * baseMs);
}

export type Role = 'init' | 'sidecar' | 'main';

export function mayRestart(role: Role, { spec }: NodePod, exitCode: number): boolean {
  const { restartPolicy = 'Always' } = spec;
  switch (role) {
    case 'sidecar':
      return true;
    // An init container that has succeeded is done; with Always it is tried again until it does.
    case 'init':
      return restartPolicy !== 'Never' && exitCode !== 0;
    case 'main':
      return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
    default:
      return role satisfies never;
  }
}

export const roleOf = (container: V1Container, isInit: boolean): Role =>
  !isInit ? 'main' : isSidecar(container) ? 'sidecar' : 'init';
