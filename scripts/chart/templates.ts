// Which templates does the chart have, and on which values does it depend whether their objects
// are made?
import type { KubeObject } from '../../src/api/objects.ts';
import { Holes } from './holes.ts';
import type { Manifest } from './manifests.ts';
import { withHoles, withHolesForRights } from './objects.ts';

/** By the path below templates/. `from`: the folder where the manifests are. */
export function templatesOf(
  manifests: readonly Manifest[],
  from: string,
  into = '',
): readonly (readonly [string, string])[] {
  return manifests.flatMap(({ file, objects }) => {
    // Helm makes the namespace, or finds it.
    const made = objects.filter(({ kind }) => kind !== 'Namespace');
    if (made.length === 0) return [];
    const isRights = file.startsWith('rights/');
    const texts = made.map((object) => textOf(object, file, isRights));
    const generated = `{{- /* GENERATED from ${from}/${file} by scripts/generate.ts. */}}\n`;
    return [[into + file, `${generated}${texts.join('')}`] as const];
  });
}

function textOf(object: KubeObject, file: string, isRights: boolean): string {
  const holes = new Holes();
  if (isRights) {
    const each = '{{- range $namespace := $.Values.watchNamespaces | default (list "") }}';
    return `${each}\n---\n${holes.write(withHolesForRights(object, holes))}{{- end }}\n`;
  }
  const text = `---\n${holes.write(withHoles(object, holes))}`;
  const condition = conditionOf(object, file);
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

const conditionOf = ({ kind }: KubeObject, file: string): string | undefined =>
  file === 'user-roles.yaml' ? '$.Values.userRoles.enabled' : conditions[kind];

const monitoring = (part: string): string =>
  `and $.Values.monitoring.enabled $.Values.monitoring.${part}`;

const conditions: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '$.Values.crds.enabled',
  ServiceAccount: '$.Values.serviceAccount.create',
  ValidatingAdmissionPolicy: '$.Values.admissionPolicy.enabled',
  ValidatingAdmissionPolicyBinding: '$.Values.admissionPolicy.enabled',
  NetworkPolicy: '$.Values.networkPolicy.enabled',
  PodDisruptionBudget: '$.Values.podDisruptionBudget.enabled',
  ServiceMonitor: monitoring('serviceMonitor'),
  PodMonitor: monitoring('podMonitor'),
  PrometheusRule: monitoring('rules'),
};
