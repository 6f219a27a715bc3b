// Which values does the chart have? Their defaults are those of deploy/.
import { kindNames } from '../../src/settings.ts';
import { settingSchemas } from './settings.ts';
import type { ValueSchema } from './value-schema.ts';

/** What deploy/ says where a value may say otherwise. */
export type Defaults = {
  readonly repository: string;
  readonly tag: string;
  /** Of a published chart only: there is no image yet whose digest deploy/ could name. */
  readonly digest: string;
  readonly pullPolicy: string;
  readonly replicas: number;
  readonly resources: object;
  readonly topologySpreadConstraints: readonly object[];
  readonly maxUnavailable: number;
};

const text = (description: string, rest: Partial<ValueSchema> = {}): ValueSchema => ({
  type: 'string',
  description,
  default: '',
  ...rest,
});
const flag = (description: string, isOn: boolean): ValueSchema => ({
  type: 'boolean',
  description,
  default: isOn,
});
const group = (
  description: string,
  properties: Readonly<Record<string, ValueSchema>>,
): ValueSchema => ({ type: 'object', description, properties });
const map = (description: string, initial: object = {}): ValueSchema => ({
  type: 'object',
  description,
  default: initial,
  additionalProperties: true,
});
const texts = (description: string): ValueSchema => ({
  type: 'object',
  description,
  default: {},
  additionalProperties: { type: 'string' },
});
const list = (description: string, initial: readonly object[] = []): ValueSchema => ({
  type: 'array',
  description,
  default: initial,
  items: { type: 'object' },
});

/** Of a Service, which a digit may not begin. */
const name = '^([a-z]([-a-z0-9]*[a-z0-9])?)?$';
const namespace = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** Of the path of a resource. */
const part = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/** In the order of values.yaml. */
export const valuesOf = (base: Defaults): Readonly<Record<string, ValueSchema>> => ({
  image: group("The operator's image.", {
    repository: text('Registry and name.', { default: base.repository, minLength: 1 }),
    tag: text('Empty: the version of the chart.', { default: base.tag }),
    digest: text('sha256:… of the image. If set, the tag is ignored, because a tag can be moved.', {
      default: base.digest,
      pattern: '^(sha256:[0-9a-f]{64})?$',
    }),
    pullPolicy: text('When the kubelet pulls the image.', {
      default: base.pullPolicy,
      enum: ['Always', 'IfNotPresent', 'Never'],
    }),
  }),
  imagePullSecrets: list('Secrets for the registry: [{ name: … }].'),
  replicas: {
    type: 'integer',
    description: 'One replica leads, the others take over within seconds.',
    default: base.replicas,
    minimum: 0,
  },
  settings: group("The operator's settings (docs/reference/settings.md).", settingSchemas()),
  kinds: {
    type: 'array',
    description:
      'Reconcile only these kinds. The permissions and policies of the others are left out. Empty: all kinds.',
    default: [],
    items: { type: 'string', enum: kindNames },
    uniqueItems: true,
  },
  watchNamespaces: {
    type: 'array',
    description:
      'Watch only these namespaces, with a Role in each instead of the ClusterRole. They must exist. Empty: all.',
    default: [],
    items: { type: 'string', maxLength: 63, pattern: namespace },
    uniqueItems: true,
  },
  memberKinds: {
    type: 'array',
    description:
      'Further kinds that may be members of groups, besides Deployments, StatefulSets and SwarmPools: [{ group: example.org, version: v1, kind: Cell, plural: cells }]. The operator gets the right to read and change their scale.',
    default: [],
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['group', 'version', 'kind', 'plural'],
      properties: {
        group: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' },
        version: { type: 'string', pattern: part },
        kind: { type: 'string', pattern: '^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$' },
        plural: { type: 'string', pattern: part },
      },
    },
    uniqueItems: true,
  },
  volumes: list(
    'Volumes of the pods, for files in settings such as metricSourcesFile and probeCaFile.',
  ),
  volumeMounts: list('Where these volumes are mounted.'),
  resources: map('No CPU limit: throttling can lose the Lease.', base.resources),
  nodeSelector: texts('Labels of the nodes where the operator may run.'),
  tolerations: list('Tolerations of the pods.'),
  affinity: map("The pods' affinity."),
  topologySpreadConstraints: list(
    'Preferred, not required: two replicas on one node are better than one.',
    base.topologySpreadConstraints,
  ),
  priorityClassName: text('Priority class of the pods.'),
  commonLabels: texts("Labels for every object. The chart's own labels win."),
  commonAnnotations: texts('Annotations for every object.'),
  podLabels: texts('Labels for the pods.'),
  podAnnotations: texts('Annotations for the pods.'),
  nameOverride: text(
    "Replaces swarm-operator in names of objects, which begin with the release's name.",
    {
      pattern: name,
      maxLength: 40,
    },
  ),
  fullnameOverride: text('Names of all objects begin with this.', { pattern: name, maxLength: 40 }),
  serviceAccount: group("The operator's ServiceAccount. The admission policies apply to it.", {
    create: flag('Create it. false: use the existing account `name`.', true),
    name: text('Empty: the name of the Deployment.', { pattern: name, maxLength: 63 }),
    annotations: texts('For example the identity at a cloud provider.'),
  }),
  crds: group('The CRDs.', {
    enabled: flag(
      'Install them, and upgrade them with the release. false: apply crds/ yourself.',
      true,
    ),
    keep: flag(
      'Keep them when the release is uninstalled. false: uninstalling deletes all pools and groups.',
      true,
    ),
  }),
  userRoles: group("Extend Kubernetes' roles view, edit and admin to our kinds.", {
    enabled: flag('Create these ClusterRoles.', true),
  }),
  admissionPolicy: group('Limits of the operator that RBAC cannot express.', {
    enabled: flag('Create the ValidatingAdmissionPolicies.', true),
  }),
  networkPolicy: group(
    'Allow connections to the operator only to its ports for health and metrics.',
    {
      enabled: flag('Create the NetworkPolicy.', true),
    },
  ),
  podDisruptionBudget: group('How many replicas a drain may evict at a time.', {
    enabled: flag('Create the PodDisruptionBudget.', true),
    maxUnavailable: {
      type: 'integer',
      description: 'The largest number of evicted replicas.',
      default: base.maxUnavailable,
      minimum: 0,
    },
  }),
  monitoring: group('For Grafana, and for the Prometheus Operator, whose CRDs must be installed.', {
    enabled: flag('Create the following objects.', false),
    serviceMonitor: flag('Scrape the operator.', true),
    podMonitor: flag(
      'Scrape the workers of all namespaces, by the label k8slab.info/worker.',
      true,
    ),
    rules: flag('Recording rules and alerts (docs/how-to/observe.md).', true),
    dashboard: flag("A ConfigMap with a dashboard, which Grafana's sidecar finds.", true),
    labels: texts('Labels for all of these, which your Prometheus selects by.'),
  }),
  // What a chart passes on to all charts that it consists of.
  global: map('Not used.'),
});
