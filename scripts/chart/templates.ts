// Which templates does the chart have, and on which values does it depend whether their objects
// are made?
import path from 'node:path';
import type { KubeObject } from '../../src/api/objects.ts';
import type { KindName } from '../../src/settings.ts';
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
    const template = path.join(into, file);
    const texts = made.map((object) => textOf(object, template));
    const generated = `{{- /* GENERATED from ${path.join(from, file)} by scripts/generate.ts. */}}\n`;
    return [[template, `${generated}${texts.join('')}`] as const];
  });
}

function textOf(object: KubeObject, template: string): string {
  const text = textOfMade(object, template);
  const found = [listed(template), conditionOf(object, template)].filter((it) => it !== undefined);
  const condition = found.length > 1 ? `and (${found.join(') (')})` : found[0];
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

function textOfMade(object: KubeObject, template: string): string {
  const holes = new Holes();
  if (!template.startsWith('rights/')) return `---\n${holes.write(withHoles(object, holes))}`;
  const each = '{{- range $namespace := $.Values.watchNamespaces | default (list "") }}';
  return `${each}\n---\n${holes.write(withHolesForRights(object, holes))}{{- end }}\n`;
}

const has = (kind: KindName): string => `has "${kind}" $.Values.kinds`;

/** Kinds that are off by default have rights and policies only where they are listed. */
function listed(template: string): string | undefined {
  if (template === 'rights/queues/queues.yaml') return has('queues');
  if (template === 'rights/queues/jobs.yaml') return has('jobs');
  const isOfBoth = template.startsWith('components/queues/');
  return isOfBoth ? `or (${has('queues')}) (${has('jobs')})` : undefined;
}

const conditionOf = ({ kind }: KubeObject, template: string): string | undefined =>
  template === 'user-roles.yaml' ? '$.Values.userRoles.enabled' : conditions[kind];

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
