// How do objects from files take the place of those of a cluster?
import { type Kind, kinds } from '../../api/kinds.ts';
import { asRecord, dig, type KubeObject } from '../../api/objects.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { Source } from '../cluster/observe-pool.ts';

/** `namespace`: of objects that name none. */
export function sourceOf(objects: readonly KubeObject[], namespace: string): Source {
  const all = objects.map((object) => complete(object, namespace));
  const of = (kind: Kind, at: string | undefined): readonly KubeObject[] =>
    all.filter((object) => object.kind === kind.kind && object.metadata.namespace === at);
  return {
    list: async (kind, at) => ({ items: of(kind, at), resourceVersion: '1' }),
    get: async (kind, ref) => {
      const found = of(kind, ref.namespace).find(({ metadata }) => metadata.name === ref.name);
      if (found === undefined)
        throw new KubeError('NotFound', `no file contains ${kind.kind} ${ref.name}`);
      return found;
    },
    serves: async () => true,
  };
}

/** With the metadata that an API server would add. */
function complete(object: KubeObject, namespace: string): KubeObject {
  const { metadata, kind } = object;
  const at = metadata.namespace ?? namespace;
  const given = {
    uid: `${kind} ${at}/${metadata.name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '1970-01-01T00:00:00Z',
  };
  return { ...object, metadata: { ...given, ...metadata, namespace: at } };
}

/** The workload that a pool names, made up because no file has it. */
export function workloadFor(pool: KubeObject, replicas: number): KubeObject {
  const workers = dig(pool, 'spec', 'workers');
  const named = dig(workers, 'targetRef', 'name');
  const kind = dig(workers, 'kind') ?? dig(workers, 'targetRef', 'kind') ?? kinds.StatefulSet.kind;
  const labels = Object.fromEntries(
    Object.entries(asRecord(dig(workers, 'selector', 'matchLabels')) ?? {}).map(([key, value]) => [
      key,
      String(value),
    ]),
  );
  const { namespace } = pool.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: String(kind),
    metadata: {
      name: typeof named === 'string' ? named : 'worker',
      labels,
      ...(namespace !== undefined && { namespace }),
    },
    spec: { replicas, template: { spec: { volumes: [fence] } } },
  };
}

/** What its pods mount is not known: they are taken to have what handoff Exclusive needs. */
const fence = {
  name: 'podinfo',
  downwardAPI: {
    items: [
      { path: 'assigned', fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" } },
    ],
  },
};
