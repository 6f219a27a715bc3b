// Which annotations of a workload set its rules in a group that selects it?
import type { ObjectMeta } from './objects.ts';

export const MEMBER_ANNOTATIONS = {
  ratio: 'k8slab.info/ratio',
  stage: 'k8slab.info/stage',
  minReplicas: 'k8slab.info/min-replicas',
  maxReplicas: 'k8slab.info/max-replicas',
  readyFraction: 'k8slab.info/ready-fraction',
} as const;

/** Longer than any valid one. */
const LONGEST = 32;

/** Cut, so that a longer one is still refused. */
export const memberAnnotationsOf = ({ annotations = {} }: ObjectMeta): Record<string, string> =>
  Object.fromEntries(
    Object.values(MEMBER_ANNOTATIONS).flatMap((name) => {
      const text = annotations[name];
      return text === undefined ? [] : [[name, text.slice(0, LONGEST)]];
    }),
  );
