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
    digest: text(
      'sha256:… of the image. It is what runs: the tag is left out, since it can be moved.',
      { default: base.digest, pattern: '^(sha256:[0-9a-f]{64})?$' },
    ),
    pullPolicy: text('When the kubelet pulls it.', {
      default: base.pullPolicy,
      enum: ['Always', 'IfNotPresent', 'Never'],
    }),
  }),
  imagePullSecrets: list('Secrets for the registry: [{ name: … }].'),
  replicas: {
    type: 'integer',
    description: 'One leads, the others take over within seconds.',
    default: base.replicas,
    minimum: 0,
  },
  settings: group(
    "The operator's settings, each the environment variable of its name (docs/reference/settings.md).",
    settingSchemas(),
  ),
  kinds: {
    type: 'array',
    description:
      'Work for these kinds only. Empty: for pools and groups. The rights and policies of queues and jobs, which are in preview, are made where these are listed.',
    default: [],
    items: { type: 'string', enum: kindNames },
    uniqueItems: true,
  },
  watchNamespaces: {
    type: 'array',
    description:
      'Watch these namespaces only, with a Role in each in place of the ClusterRole. They must exist. Empty: all.',
    default: [],
    items: { type: 'string', maxLength: 63, pattern: namespace },
    uniqueItems: true,
  },
  memberKinds: {
    type: 'array',
    description:
      'Kinds that groups may have as members, besides Deployments, StatefulSets and SwarmPools: [{ group: example.org, version: v1, kind: Cell, plural: cells }]. The operator gets the right to read and change their scale.',
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
    'For files that settings name, such as metricSourcesFile and probeCaFile: volumes of the pods.',
  ),
  volumeMounts: list('And where the operator finds them.'),
  resources: map('No limit on cpu: being slowed down costs leases.', base.resources),
  nodeSelector: texts('Labels of the nodes where it may run.'),
  tolerations: list('Taints of nodes that it tolerates.'),
  affinity: map("The pods' affinity."),
  topologySpreadConstraints: list(
    'Preferred, not required: two replicas on one node are better than one.',
    base.topologySpreadConstraints,
  ),
  priorityClassName: text('The class of its pods.'),
  commonLabels: texts("On every object. The chart's own labels win."),
  commonAnnotations: texts('On every object.'),
  podLabels: texts('On the pods.'),
  podAnnotations: texts('On the pods.'),
  nameOverride: text("Names begin with the release's name and this, in place of swarm-operator.", {
    pattern: name,
    maxLength: 40,
  }),
  fullnameOverride: text('All names begin with this.', { pattern: name, maxLength: 40 }),
  serviceAccount: group('Who the operator is. The admission policies hold this account.', {
    create: flag('false: `name` exists already.', true),
    name: text('Empty: as the Deployment.', { pattern: name, maxLength: 63 }),
    annotations: texts('For the identity of a cloud, say.'),
  }),
  crds: group('The definitions of our kinds.', {
    enabled: flag(
      'Install them, and upgrade them with the release. false: apply crds/ yourself.',
      true,
    ),
    keep: flag(
      'They stay when the release is uninstalled. false: all pools are deleted with it.',
      true,
    ),
  }),
  userRoles: group("Rights on our kinds for who has Kubernetes' roles view, edit or admin.", {
    enabled: flag('Make these ClusterRoles.', true),
  }),
  admissionPolicy: group('Limits of the operator that RBAC cannot express.', {
    enabled: flag('Make the ValidatingAdmissionPolicies.', true),
  }),
  networkPolicy: group('Who may connect to the operator: anybody, to health and metrics only.', {
    enabled: flag('Make the NetworkPolicy.', true),
  }),
  podDisruptionBudget: group('How many replicas drains may take at a time.', {
    enabled: flag('Make the PodDisruptionBudget.', true),
    maxUnavailable: {
      type: 'integer',
      description: 'At most so many.',
      default: base.maxUnavailable,
      minimum: 0,
    },
  }),
  monitoring: group('For the Prometheus Operator, whose definitions must exist, and Grafana.', {
    enabled: flag('Make those that follow.', false),
    serviceMonitor: flag('Scrape the operator.', true),
    podMonitor: flag(
      'Scrape the workers of all namespaces, by the label k8slab.info/worker.',
      true,
    ),
    rules: flag('Recording rules and alerts (docs/how-to/observe.md).', true),
    dashboard: flag("A ConfigMap that Grafana's sidecar finds.", true),
    labels: texts('On all of these: what your Prometheus selects by.'),
  }),
  // What a chart passes on to all charts that it consists of.
  global: map('Not used.'),
});
