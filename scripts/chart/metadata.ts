// What does Chart.yaml say, for Helm and for Artifact Hub?
import { dump } from 'js-yaml';
import type { Definition } from '../definitions/schema.ts';

export type Package = {
  readonly version: string;
  readonly description: string;
  readonly license: string;
};

/** `source`: the project's page, where the chart is published from one. */
export function chartYaml(
  { version, description, license }: Package,
  { repository, digest }: { readonly repository: string; readonly digest: string },
  definitions: readonly Definition[],
  source?: string,
): string {
  const image = digest === '' ? `${repository}:${version}` : `${repository}@${digest}`;
  const annotations = {
    'artifacthub.io/license': license,
    'artifacthub.io/operator': 'true',
    'artifacthub.io/crds': dump(definitions.map(definitionOf), { lineWidth: -1 }),
    'artifacthub.io/images': dump([{ name: 'swarm-operator', image, whitelisted: false }]),
  };
  const chart = {
    apiVersion: 'v2',
    name: 'swarm-operator',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
    ...(source !== undefined && { home: source, sources: [source] }),
    keywords: ['operator', 'streams', 'sharding', 'assignment', 'statefulset'],
    annotations,
  };
  return `# GENERATED from package.json and crds/ by scripts/generate.ts.\n${dump(chart, { lineWidth: -1 })}`;
}

function definitionOf({ kind, plural, apiVersion, schema }: Definition): object {
  const [group, version] = apiVersion.split('/');
  return {
    kind,
    version,
    name: `${plural}.${group}`,
    displayName: kind,
    description: schema.description ?? kind,
  };
}
