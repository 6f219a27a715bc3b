// Which kinds of object does this project touch, and where does the API server serve them?

export type Kind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /**
   * Lists and watches bring names, labels and versions only: enough to know when to read one of
   * very many.
   */
  readonly metadataOnly?: boolean;
};

const core = (kind: string, plural: string, namespaced = true): Kind => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const apps = (kind: string, plural: string): Kind => ({
  group: 'apps',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});
const ours = (kind: string, plural: string): Kind => ({
  group: GROUP,
  version: 'v1alpha1',
  kind,
  plural,
  namespaced: true,
});

export const GROUP = 'k8slab.info';

export const kinds = {
  SwarmPool: ours('SwarmPool', 'swarmpools'),
  ConfigMap: core('ConfigMap', 'configmaps'),
  Pod: core('Pod', 'pods'),
  Secret: core('Secret', 'secrets'),
  Node: core('Node', 'nodes', false),
  Namespace: core('Namespace', 'namespaces', false),
  ServiceAccount: core('ServiceAccount', 'serviceaccounts'),
  StatefulSet: apps('StatefulSet', 'statefulsets'),
  Deployment: apps('Deployment', 'deployments'),
  ReplicaSet: apps('ReplicaSet', 'replicasets'),
  HorizontalPodAutoscaler: {
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
  },
  Event: {
    group: 'events.k8s.io',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    namespaced: true,
  },
  Lease: {
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    namespaced: true,
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  },
} as const satisfies Record<string, Kind>;

export const metadataOf = (kind: Kind): Kind => ({ ...kind, metadataOnly: true });

export const apiVersionOf = (kind: Kind): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;

/**
 * The path of a collection, or of one object in it:
 * `/apis/apps/v1/namespaces/swarm/statefulsets/tv`.
 */
export function pathOf(
  kind: Kind,
  at: { namespace?: string | undefined; name?: string } = {},
  subresource?: string,
): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope =
    kind.namespaced && at.namespace !== undefined
      ? `/namespaces/${encodeURIComponent(at.namespace)}`
      : '';
  const name = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  return `${root}${scope}/${kind.plural}${name}${subresource === undefined ? '' : `/${subresource}`}`;
}
