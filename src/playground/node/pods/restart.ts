// After how long may a container start again, and may it at all?
import type { Container, RestartPolicy } from './pod-spec.ts';

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

export function mayRestart(role: Role, policy: RestartPolicy, exitCode: number): boolean {
  switch (role) {
    case 'sidecar':
      return true;
    // An init container that has succeeded is done; with Always it is tried again until it does.
    case 'init':
      return policy !== 'Never' && exitCode !== 0;
    case 'main':
      return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
    default:
      return role satisfies never;
  }
}

export const roleOf = (container: Container, isInit: boolean): Role =>
  !isInit ? 'main' : container.isSidecar ? 'sidecar' : 'init';
