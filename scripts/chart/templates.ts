// Which templates does the chart have, and on which values does it depend whether their objects
// are made?
import path from 'node:path';
import type { KubeObject } from '../../src/api/objects.ts';
import { type KindName, kindNames } from '../../src/settings.ts';
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

const worksForAny = (...some: readonly KindName[]): string =>
  `or (not $.Values.kinds) ${some.map((kind) => `(has "${kind}" $.Values.kinds)`).join(' ')}`;

/** Rights and policies of a kind are made only if the operator works for it. */
function listed(template: string): string | undefined {
  const kind = kindNames.find((it) => template === `rights/${it}.yaml`);
  if (kind !== undefined) return worksForAny(kind);
  const isOfBoth = ['ledgers.yaml', 'admission-jobs.yaml'].includes(template);
  return isOfBoth ? worksForAny('queues', 'jobs') : undefined;
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
