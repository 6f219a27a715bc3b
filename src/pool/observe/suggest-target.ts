// What may a pool mean that finds no workload?
import { nearest } from '../../api/nearest.ts';
import type { Target, TargetKind } from '../../api/observed.ts';
import { type PoolTargets, targetKindOf, targetsOf } from '../../api/pool-targets.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';
import type { TargetSuggestion } from '../world.ts';

/** Of each kind: comparing long names takes 60 microseconds each, and a hint is not worth more. */
const MOST_COMPARED = 200;

const otherKind: Readonly<Record<TargetKind, TargetKind>> = {
  StatefulSet: 'Deployment',
  Deployment: 'StatefulSet',
};

/** The same for the same workloads, in whichever order they were reported. */
export function suggestTarget(
  sought: PoolTargets,
  workloads: KnownWorkloads,
): TargetSuggestion | undefined {
  const kind = targetKindOf(sought.workers);
  const other = otherKind[kind];
  const [target] = targetsOf(sought, workloads, other);
  if (target !== undefined) return { why: 'OtherKind', target };
  if (sought.workers.targetRef === undefined) {
    const isOpen = sought.workers.kind === undefined;
    return labelledOnPods(sought, workloads, isOpen ? [kind, other] : [kind]);
  }
  return nearName(sought.workers.targetRef.name, sought.namespace, workloads, [kind, other]);
}

/** Workloads whose pods have the labels that they lack themselves: an easy mistake. */
function labelledOnPods(
  { namespace, workers: { selector } }: PoolTargets,
  workloads: KnownWorkloads,
  kinds: readonly TargetKind[],
): TargetSuggestion | undefined {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  if (wanted.length === 0) return undefined;
  for (const kind of kinds) {
    const [target, ...others] = inOrder(workloads.of(kind, namespace)).filter(({ podLabels }) =>
      wanted.every(([key, value]) => podLabels[key] === value),
    );
    if (target !== undefined) return { why: 'LabelledOnPods', target, others };
  }
  return undefined;
}

function nearName(
  name: string,
  namespace: string,
  workloads: KnownWorkloads,
  kinds: readonly TargetKind[],
): TargetSuggestion | undefined {
  for (const kind of kinds) {
    const present = inOrder(workloads.of(kind, namespace)).slice(0, MOST_COMPARED);
    const near = nearest(
      name,
      present.map((target) => target.name),
    );
    const target = present.find((it) => it.name === near);
    if (target !== undefined) return { why: 'NearName', target };
  }
  return undefined;
}

const inOrder = (targets: readonly Target[]): readonly Target[] =>
  targets.filter(({ isDeleting }) => !isDeleting).sort((a, b) => (a.name < b.name ? -1 : 1));
