// Which kinds of object does this project use, and where does the API server serve them?

export type Kind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Lists and watches return only metadata: enough to know when to read an object. */
  readonly metadataOnly?: boolean;
};

/** A kind as people name it: the API server knows where it is served. */
export type NamedKind = Pick<Kind, 'group' | 'version' | 'kind'>;

const GROUP = 'k8slab.info';

const inGroup =
  (group: string, version: string, namespaced = true) =>
  (kind: string): Kind => {
    const plural = `${kind.toLowerCase()}s`;
    return { group, version, kind, plural, namespaced };
  };

const core = inGroup('', 'v1');
const clusterWide = inGroup('', 'v1', false);
const apps = inGroup('apps', 'v1');
const ours = inGroup(GROUP, 'v1alpha1');

export const kinds = {
  SwarmPool: ours('SwarmPool'),
  SwarmGroup: ours('SwarmGroup'),
  SwarmQueue: ours('SwarmQueue'),
  SwarmJob: ours('SwarmJob'),
  ConfigMap: core('ConfigMap'),
  Pod: core('Pod'),
  Secret: core('Secret'),
  Node: clusterWide('Node'),
  Namespace: clusterWide('Namespace'),
  ServiceAccount: core('ServiceAccount'),
  StatefulSet: apps('StatefulSet'),
  Deployment: apps('Deployment'),
  ReplicaSet: apps('ReplicaSet'),
  HorizontalPodAutoscaler: inGroup('autoscaling', 'v2')('HorizontalPodAutoscaler'),
  Job: inGroup('batch', 'v1')('Job'),
  CronJob: inGroup('batch', 'v1')('CronJob'),
  Service: core('Service'),
  ResourceQuota: core('ResourceQuota'),
  LimitRange: core('LimitRange'),
  RuntimeClass: {
    ...inGroup('node.k8s.io', 'v1', false)('RuntimeClass'),
    plural: 'runtimeclasses',
  },
  PriorityClass: {
    ...inGroup('scheduling.k8s.io', 'v1', false)('PriorityClass'),
    plural: 'priorityclasses',
  },
  /**
   * In the core group, since only there an Event may have a lastTimestamp, by which `kubectl
   * describe` sorts.
   */
  Event: core('Event'),
  Lease: inGroup('coordination.k8s.io', 'v1')('Lease'),
  CustomResourceDefinition: inGroup(
    'apiextensions.k8s.io',
    'v1',
    false,
  )('CustomResourceDefinition'),
} as const satisfies Record<string, Kind>;

/** The kinds of this project: each has a definition in crds/. */
export const ownKindNames = ['SwarmPool', 'SwarmGroup', 'SwarmQueue', 'SwarmJob'] as const;
export type OwnKindName = (typeof ownKindNames)[number];

export const metadataOf = (kind: Kind): Kind => ({ ...kind, metadataOnly: true });

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** `apps/v1/Deployment` */
export const namedText = (named: NamedKind): string => `${apiVersionOf(named)}/${named.kind}`;

export function namedKind(apiVersion: string, kind: string): NamedKind {
  const group = groupIn(apiVersion);
  return { group, version: group === '' ? apiVersion : apiVersion.slice(group.length + 1), kind };
}

/** The group in an apiVersion: `apps/v1` gives apps. */
export const groupIn = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The path of one group and version: `/apis/apps/v1`. */
export const rootOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/**
 * The path of a collection, or of an object in it:
 * `/apis/apps/v1/namespaces/swarm/statefulsets/tv`.
 */
export function pathOf(
  kind: Kind,
  at: { namespace?: string | undefined; name?: string } = {},
  subresource?: string,
): string {
  const scope =
    kind.namespaced && at.namespace !== undefined
      ? `/namespaces/${encodeURIComponent(at.namespace)}`
      : '';
  const name = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  return `${rootOf(kind)}${scope}/${kind.plural}${name}${subresource === undefined ? '' : `/${subresource}`}`;
}
