// What does Helm make of the chart, and how does that differ from what kustomize makes?
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import { asList, asRecord, dig, isKubeObject, type KubeObject } from '../../src/api/objects.ts';
import { findBinaries } from '../../src/playground/binaries/binaries.ts';
import { repository } from '../integration/deploy/overlays.ts';

export const chart = `${repository}deploy/chart`;

export type Release = {
  /** The chart's folder; that of the repository by default. */
  readonly from?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly values?: object;
};

export class Helm {
  readonly file: string;

  private constructor(file: string) {
    this.file = file;
  }

  /** Built when it is missing, which takes minutes. */
  static async find(): Promise<Helm> {
    const { helm } = await findBinaries(['helm']);
    return new Helm(helm);
  }

  async run(...args: readonly string[]): Promise<string> {
    return (await promisify(execFile)(this.file, [...args], { maxBuffer: 16 * 1024 * 1024 }))
      .stdout;
  }

  async render({
    from = chart,
    name,
    namespace,
    values = {},
  }: Release): Promise<readonly KubeObject[]> {
    const given = Object.entries(values).flatMap(([key, value]) => [
      '--set-json',
      `${key}=${JSON.stringify(value)}`,
    ]);
    const release = [name ?? 'swarm-operator', from, '--namespace', namespace ?? 'swarm-operator'];
    const text = await this.run('template', ...release, ...given);
    return sorted(loadAll(text).filter(isKubeObject));
  }
}

const { version } = JSON.parse(readFileSync(`${repository}package.json`, 'utf8')) as {
  readonly version: string;
};

/**
 * The objects of kustomize, with all that differs in a release: three labels, the annotation that
 * keeps CRDs, and no namespace, which Helm makes itself.
 */
export function asReleased(
  objects: readonly KubeObject[],
  name = 'swarm-operator',
): readonly KubeObject[] {
  const helms = {
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/managed-by': 'Helm',
    'helm.sh/chart': `swarm-operator-${version}`,
  };
  return sorted(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => {
        const { kind, metadata: given } = object;
        // Kustomize takes policies for objects of a namespace when it changes that.
        const { namespace, ...rest } = given;
        const metadata = kind.startsWith('ValidatingAdmissionPolicy') ? rest : given;
        const labels = { ...metadata.labels, ...helms };
        const annotations = { ...metadata.annotations, 'helm.sh/resource-policy': 'keep' };
        const isKept = kind === 'CustomResourceDefinition';
        return { ...object, metadata: { ...metadata, labels, ...(isKept && { annotations }) } };
      }),
  );
}

/** In an order that means nothing: that of objects, and of the variables of a container. */
function sorted(objects: readonly KubeObject[]): readonly KubeObject[] {
  const keyOf = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
    [kind, namespace, name].join('/');
  return objects
    .map((object) => (object.kind === 'Deployment' ? withSortedEnv(object) : object))
    .sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

function withSortedEnv(deployment: KubeObject): KubeObject {
  const sortedIn = (container: unknown): object => ({
    ...asRecord(container),
    env: asList(dig(container, 'env')).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))),
  });
  const { spec } = deployment;
  const pod = asRecord(dig(spec, 'template', 'spec'));
  const containers = asList(pod?.['containers']).map(sortedIn);
  const template = { ...asRecord(dig(spec, 'template')), spec: { ...pod, containers } };
  return { ...deployment, spec: { ...asRecord(spec), template } };
}

const nameOf = (entry: unknown): string => String(dig(entry, 'name'));
