// Does an autoscaler of the group come to rest where its load says? Then its formula finds in
// status what it needs.
import type { GroupAutoscaler } from '../../autoscaler.ts';
import { type Moment, type Problem, problem } from './problem.ts';

/** It is quick to go up, and slow to go down. */
const SETTLES_MS = 40_000;
const TOLERANCE = 0.1;

export function loadProblems(moment: Moment, autoscaler: GroupAutoscaler): readonly Problem[] {
  const { scene, past, now, isWell } = moment;
  const { target, least, most, isOn } = autoscaler.asked;
  const { size, members, isPaused, policy } = scene;
  const [first] = members;
  const isUnit = first?.ratio === 1 && first.bounds.most === Number.POSITIVE_INFINITY;
  if (!isOn || policy !== 'Manual' || !isUnit || first.bounds.least > 0 || !size || isPaused)
    return [];
  const areWell = members.every(
    ({ isFree, name, kind }) => isFree && kind !== 'SwarmPool' && isWell(name),
  );
  const quietMs = now - Math.max(past.editedAt, autoscaler.changedAt);
  if (!areWell || quietMs < SETTLES_MS) return [];
  const wanted = Math.max(least, Math.min(most, Math.ceil(autoscaler.load / target)));
  const isNear = Math.abs(autoscaler.load / (target * size) - 1) <= TOLERANCE;
  return size === scene.bounded(wanted) || isNear
    ? []
    : [
        problem(
          'load',
          'size',
          `${autoscaler.load} of load at ${target} each need size ${wanted}; the autoscaler has it at ${size} (${autoscaler.problem ?? 'no problem'})`,
        ),
      ];
}
