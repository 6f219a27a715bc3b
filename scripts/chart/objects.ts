// Which parts of an object of deploy/ do the values of the chart fill?
import { asList, asRecord, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import type { Holes } from './holes.ts';

/** The name of the operator in deploy/, with which the names of its objects begin. */
const BASE = 'swarm-operator';
/** The rights for groups, in deploy/. */
const GROUPS = `${BASE}-groups`;
const FULLNAME = `include "${BASE}.fullname" $`;
const ACCOUNT = `include "${BASE}.serviceAccountName" $ | quote`;
const NAMESPACE = '$.Release.Namespace | quote';

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown, ...path: readonly string[]): Fields =>
  asRecord(dig(value, ...path)) ?? {};

/** The object, with marks where values stand. */
export function withHoles(object: KubeObject, holes: Holes): object {
  const { apiVersion, kind, metadata: _, ...rest } = object;
  const edit = edits[kind];
  return {
    apiVersion,
    kind,
    metadata: metadataOf(object, holes),
    ...rest,
    ...edit?.(object, holes),
  };
}

const inOneNamespace: Readonly<Record<string, string>> = {
  ClusterRole: 'Role',
  ClusterRoleBinding: 'RoleBinding',
};

/** A right for all namespaces, or for each of those watched: within `range $namespace`. */
export function withHolesForRights(object: KubeObject, holes: Holes): object {
  const either = (kind: string): string => {
    const other = inOneNamespace[kind];
    if (other === undefined)
      throw new Error(`deploy/rights has a ${kind}, not a cluster-wide right`);
    return holes.text(`ternary "${kind}" "${other}" (empty $namespace)`);
  };
  const whole = fieldsOf(withHoles(object, holes));
  const { name, ...metadata } = fieldsOf(whole, 'metadata');
  const roleRef = fieldsOf(whole, 'roleRef');
  return {
    ...whole,
    kind: either(object.kind),
    metadata: { name, namespace: holes.only('$namespace', 'quote $namespace'), ...metadata },
    ...(object.kind === 'ClusterRoleBinding' && {
      roleRef: { ...roleRef, kind: either('ClusterRole') },
    }),
  };
}

function nameOf(name: unknown, holes: Holes): unknown {
  const text = asString(name) ?? '';
  return text.startsWith(BASE) ? holes.text(FULLNAME) + text.slice(BASE.length) : text;
}

function metadataOf({ kind, metadata }: KubeObject, holes: Holes): object {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const given = `"root" $ "labels" ${dict(labels)} "annotations" ${annotationsOf(kind, annotations)}`;
  const helper = monitoringKinds.has(kind) ? 'monitoringMetadata' : 'metadata';
  return {
    name: ownName(kind, name, holes),
    ...(namespace !== undefined && { namespace: holes.text(NAMESPACE) }),
    [holes.fields(`include "${BASE}.${helper}" (dict ${given})`)]: null,
  };
}

function ownName(kind: string, name: string, holes: Holes): unknown {
  // Its name is that of the resource.
  if (kind === 'CustomResourceDefinition') return name;
  return kind === 'ServiceAccount' ? holes.text(ACCOUNT) : nameOf(name, holes);
}

const monitoringKinds: ReadonlySet<string> = new Set([
  'ServiceMonitor',
  'PodMonitor',
  'PrometheusRule',
]);

function annotationsOf(kind: string, annotations: Fields): string {
  if (kind === 'ServiceAccount') return '$.Values.serviceAccount.annotations';
  if (kind !== 'CustomResourceDefinition') return dict(annotations);
  const kept = dict({ ...annotations, 'helm.sh/resource-policy': 'keep' });
  return `(ternary ${kept} ${dict(annotations)} $.Values.crds.keep)`;
}

const dict = (entries: Fields): string =>
  `(dict${Object.entries(entries)
    .map(([key, value]) => ` "${key}" "${String(value)}"`)
    .join('')})`;

const edits: Readonly<Record<string, (object: KubeObject, holes: Holes) => object>> = {
  Role: (object, holes) => ({
    rules: asList(object['rules']).map((rule) => ({
      ...fieldsOf(rule),
      // The Lease.
      ...(dig(rule, 'resourceNames') !== undefined && {
        resourceNames: [holes.text(`$.Values.settings.leaseName | default "${BASE}" | quote`)],
      }),
    })),
  }),
  ClusterRole: ({ metadata, rules }, holes) =>
    metadata.name === GROUPS
      ? { rules: holes.list(asList(rules), `include "${BASE}.memberKindRules" $`) }
      : {},
  RoleBinding: bindingOf,
  ClusterRoleBinding: bindingOf,
  ValidatingAdmissionPolicyBinding: ({ spec }, holes) => ({
    spec: {
      ...fieldsOf(spec),
      policyName: nameOf(dig(spec, 'policyName'), holes),
      // One with a selector is for objects of the request's namespace.
      paramRef: {
        ...fieldsOf(spec, 'paramRef'),
        ...(dig(spec, 'paramRef', 'selector') === undefined && {
          name: holes.text(ACCOUNT),
          namespace: holes.text(NAMESPACE),
        }),
      },
    },
  }),
  PodDisruptionBudget: ({ spec }, holes) => ({
    spec: {
      ...fieldsOf(spec),
      maxUnavailable: holes.text('$.Values.podDisruptionBudget.maxUnavailable'),
    },
  }),
  Deployment: ({ spec }, holes) => ({
    spec: {
      ...fieldsOf(spec),
      replicas: holes.text('$.Values.replicas'),
      template: {
        metadata: {
          [holes.fields(
            `include "${BASE}.podMetadata" (dict "root" $ "labels" ${dict(fieldsOf(spec, 'template', 'metadata', 'labels'))})`,
          )]: null,
        },
        spec: podOf(fieldsOf(spec, 'template', 'spec'), holes),
      },
    },
  }),
};

function bindingOf(object: KubeObject, holes: Holes): object {
  const subject = { name: holes.text(ACCOUNT), namespace: holes.text(NAMESPACE) };
  return {
    roleRef: {
      ...fieldsOf(object['roleRef']),
      name: nameOf(dig(object['roleRef'], 'name'), holes),
    },
    subjects: asList(object['subjects']).map((it) => ({ ...fieldsOf(it), ...subject })),
  };
}

function podOf({ containers, ...pod }: Fields, holes: Holes): object {
  return {
    ...pod,
    serviceAccountName: holes.text(ACCOUNT),
    imagePullSecrets: holes.optional('$.Values.imagePullSecrets'),
    priorityClassName: holes.optionalText('$.Values.priorityClassName'),
    nodeSelector: holes.optional('$.Values.nodeSelector'),
    tolerations: holes.optional('$.Values.tolerations'),
    affinity: holes.optional('$.Values.affinity'),
    topologySpreadConstraints: holes.optional('$.Values.topologySpreadConstraints'),
    volumes: holes.optional('$.Values.volumes'),
    containers: asList(containers).map((container) => ({
      ...fieldsOf(container),
      image: holes.text(`include "${BASE}.image" $`),
      imagePullPolicy: holes.text('$.Values.image.pullPolicy'),
      env: holes.list(asList(dig(container, 'env')), `include "${BASE}.env" $`),
      ports: asList(dig(container, 'ports')).map((port) => ({
        ...fieldsOf(port),
        containerPort: holes.text(
          `$.Values.settings.${String(dig(port, 'name'))}Port | default ${String(dig(port, 'containerPort'))}`,
        ),
      })),
      resources: holes.optional('$.Values.resources'),
      volumeMounts: holes.optional('$.Values.volumeMounts'),
    })),
  };
}
