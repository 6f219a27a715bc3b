// The trial kind: a Headcount sets how many replicas a Deployment should have. It shows the cost of
// a new kind: this file, ten lines of CRD, two permissions.
import type { Kind } from '../../../src/api/kinds.ts';
import { asNumber, asString, dig, keyOf, refOf } from '../../../src/api/objects.ts';
import type { Target } from '../../../src/api/observed.ts';
import { type OwnObject, parseOwnObject } from '../../../src/api/own-object.ts';
import type { Decision } from '../../../src/core/decision.ts';
import { ownStatusSteps } from '../../../src/core/own-status.ts';
import { inOneTurn } from '../../../src/core/work.ts';
import type { Controller } from '../../../src/runtime/engine/controller.ts';
import type { Store } from '../../../src/runtime/store/store.ts';
import { Cache } from '../../../src/runtime/watch/cache.ts';

export const headcountKind: Kind = {
  group: 'k8slab.info',
  version: 'v1alpha1',
  kind: 'Headcount',
  plural: 'headcounts',
  namespaced: true,
};

type Headcount = OwnObject<{ readonly deployment: string }, { readonly replicas: number }>;

type HeadcountWorld = {
  readonly headcount: Headcount;
  readonly deployment: Target | undefined;
};

const isSpec = (value: unknown): value is { deployment: string } =>
  asString(dig(value, 'deployment')) !== undefined;
const isStatus = (value: unknown): value is { replicas: number } =>
  asNumber(dig(value, 'replicas')) !== undefined;

export const decideHeadcount = ({ headcount, deployment }: HeadcountWorld): Decision => ({
  steps: ownStatusSteps(headcountKind, headcount, { replicas: deployment?.replicas ?? 0 }),
});

export function headcountController({ workloads }: Store): Controller<HeadcountWorld> {
  const deploymentOf = ({ meta: { namespace }, spec }: Headcount) =>
    spec.ok ? { namespace, name: spec.value.deployment } : undefined;
  const headcounts = new Cache((object) => parseOwnObject(object, isSpec, isStatus), {
    deployment: (headcount: Headcount) =>
      [deploymentOf(headcount)].flatMap((it) => (it === undefined ? [] : [keyOf(it)])),
  });
  return {
    name: headcountKind.kind,
    subscriptions: (wake) => {
      workloads.listen({
        onWorkloads: (changed) => {
          for (const { kind, ...deployment } of changed)
            if (kind === 'Deployment')
              for (const { meta } of headcounts.by('deployment', keyOf(deployment)))
                wake(keyOf(meta));
        },
      });
      return [
        ...workloads.subscriptions,
        {
          kind: headcountKind,
          onChange: (change) => {
            headcounts.apply(change);
            wake(keyOf(change.object.metadata));
          },
        },
      ];
    },
    keys: () => headcounts.keys(),
    observe: async (key) => {
      const headcount = headcounts.get(refOf(key));
      if (headcount === undefined) return undefined;
      const name = deploymentOf(headcount);
      return { headcount, deployment: name && workloads.get('Deployment', name) };
    },
    decide: (world) => inOneTurn(() => decideHeadcount(world)),
    decideFailed: () => undefined,
  };
}
