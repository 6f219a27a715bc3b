// Which size is the group to have? What its policy proposes, within the bounds.
import type { SwarmGroupSpec } from '../api/validate.ts';
import type { Because } from '../core/because.ts';

export const MOST_SIZE = 100_000;

export type GroupSize = {
  readonly wanted: number;
  /** Before the bounds. */
  readonly proposed: number;
  /** The bound that held it. */
  readonly limit: Because<'AtMinimum' | 'AtMaximum'> | undefined;
};

/** Undefined: spec.replicas is left out, and not taken over yet. */
export function sizeWanted(spec: SwarmGroupSpec): GroupSize | undefined {
  const { replicas: proposed } = spec;
  return proposed === undefined ? undefined : { proposed, ...boundedSize(spec, proposed) };
}

export function boundedSize(
  { policy: { minReplicas, maxReplicas = MOST_SIZE } }: SwarmGroupSpec,
  proposed: number,
): Pick<GroupSize, 'wanted' | 'limit'> {
  if (proposed < minReplicas)
    return limited(minReplicas, 'AtMinimum', proposed, 'policy.minReplicas');
  if (proposed > maxReplicas)
    return limited(maxReplicas, 'AtMaximum', proposed, 'policy.maxReplicas');
  return { wanted: proposed, limit: undefined };
}

function limited(
  wanted: number,
  reason: 'AtMinimum' | 'AtMaximum',
  proposed: number,
  field: string,
): Pick<GroupSize, 'wanted' | 'limit'> {
  const message = `the size would be ${proposed}; spec.${field} is ${wanted}`;
  return { wanted, limit: { reason, message } };
}
