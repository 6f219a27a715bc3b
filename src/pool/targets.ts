// What is a target called, and how many workers have several together?
import type { Target } from '../api/observed.ts';

export const nameOf = (target: Target): string => `${target.kind}/${target.name}`;

/** The largest number that a scale subresource can hold. */
const MOST_REPLICAS = 2_147_483_647;

export const sizeOf = (targets: readonly Target[]): number =>
  Math.min(
    MOST_REPLICAS,
    targets.reduce((sum, { replicas }) => sum + replicas, 0),
  );
