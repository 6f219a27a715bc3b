// What do users do to other workloads than the first target? They create, delete (with or without
// pods), label, scale and roll them.
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { ownerUid } from '../cluster/facts.ts';
import { labelsOf, NAMESPACE, otherTargetOf, partsOf, templateOf } from '../cluster/manifests.ts';
import type { PoolSimWorld } from '../pool-world.ts';
import type { Action, Story, TargetName } from './story.ts';

export type TargetAction = Extract<
  Action,
  {
    readonly do:
      | 'addTarget'
      | 'dropTarget'
      | 'relabel'
      | 'scaleTarget'
      | 'rollTarget'
      | 'startAt'
      | 'removeOrphans';
  }
>;

export function toTarget({ server, shape }: PoolSimWorld, action: TargetAction): unknown {
  const change = (target: TargetName, body: object): unknown => {
    const { kind, name } = partsOf(target);
    return server.merge(kinds[kind], { namespace: NAMESPACE, name }, body);
  };
  switch (action.do) {
    case 'addTarget': {
      const { target, replicas, isSelected, start } = action;
      return server.create(
        kinds[partsOf(target).kind],
        otherTargetOf(shape, target, replicas, isSelected, start),
      );
    }
    case 'dropTarget': {
      const { kind, name } = partsOf(action.target);
      const ref = { namespace: NAMESPACE, name };
      const { uid } = server.get(kinds[kind], ref).metadata;
      const owned = server
        .all({ kind: kinds.Pod, namespace: NAMESPACE })
        .filter((pod) => ownerUid(pod) === uid);
      if (action.leavesPods === true)
        for (const { metadata } of owned)
          server.merge(kinds.Pod, metadata, { metadata: { ownerReferences: null } });
      return server.remove(kinds[kind], ref);
    }
    case 'relabel':
      return change(action.target, { metadata: { labels: labelsOf(action.isSelected) } });
    case 'scaleTarget':
      return change(action.target, { spec: { replicas: action.to } });
    case 'rollTarget': {
      const { kind, name } = partsOf(action.target);
      const present = server.get(kinds[kind], { namespace: NAMESPACE, name });
      const own =
        dig(present, 'spec', 'selector', 'matchLabels', 'set') === name ? { set: name } : undefined;
      return change(action.target, { spec: { template: templateOf(shape, action.revision, own) } });
    }
    case 'startAt':
      return change(action.target, { spec: { ordinals: { start: action.ordinal } } });
    case 'removeOrphans':
      for (const pod of server.all({ kind: kinds.Pod, namespace: NAMESPACE }))
        if (ownerUid(pod) === undefined) server.remove(kinds.Pod, pod.metadata);
      return undefined;
    default:
      return action satisfies never;
  }
}

const workers: ReadonlySet<Action['do']> = new Set([
  'addTarget',
  'dropTarget',
  'relabel',
  'deleteTarget',
]);

/** Does any action change which pods are the workers? */
export const changesTarget = ({ actions }: Pick<Story, 'actions'>): boolean =>
  actions.some(
    (action) =>
      workers.has(action.do) ||
      (action.do === 'spec' &&
        ['targetRef', 'selector', 'kind'].some(
          (field) => dig(action.patch, 'workers', field) !== undefined,
        )),
  );
