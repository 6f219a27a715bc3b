// Which size would the group have instead of this one? Within the bounds of now.
import type { SwarmGroupSpec } from '../../api/validate.ts';
import { bounded, boundsNow, timetableOf } from '../../group/policy/bounds.ts';

export const boundedNow = (
  spec: SwarmGroupSpec,
  replicas: number,
  now: number,
): ReturnType<typeof bounded> =>
  bounded(boundsNow(spec, timetableOf(spec.policy.schedules ?? [], new Map(), now)), replicas);
