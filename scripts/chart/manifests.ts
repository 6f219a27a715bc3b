// What stands in deploy/? Its objects, file by file, as kustomize would take them, and what the
// values of a chart may change of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import {
  asList,
  asNumber,
  asString,
  dig,
  isKubeObject,
  type KubeObject,
} from '../../src/api/objects.ts';
import type { Defaults } from './values.ts';

export type Manifest = {
  /** From the folder of the whole. */
  readonly file: string;
  readonly objects: readonly KubeObject[];
};

/** Of a kustomization: its files, and those of the folders that it takes. */
export function manifestsIn(
  folder: string,
  under = '',
  list = 'kustomization.yaml',
): readonly Manifest[] {
  const kustomization = load(readFileSync(path.join(folder, under, list), 'utf8'));
  return asList(dig(kustomization, 'resources')).flatMap((resource) => {
    const file = path.join(under, asString(resource) ?? '');
    return file.endsWith('.yaml')
      ? [{ file, objects: objectsIn(path.join(folder, file)) }]
      : manifestsIn(folder, file);
  });
}

function objectsIn(file: string): readonly KubeObject[] {
  const schema = CORE_SCHEMA.withTags(mergeTag);
  return loadAll(readFileSync(file, 'utf8'), { schema }).map((object) => {
    if (!isKubeObject(object)) throw new Error(`${file} has something that is no object`);
    return object;
  });
}

export function defaultsOf(manifests: readonly Manifest[]): Defaults {
  const objects = manifests.flatMap((manifest) => manifest.objects);
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget');
  const pod = dig(deployment, 'spec', 'template', 'spec');
  const [container] = asList(dig(pod, 'containers'));
  const [repository = '', tag = ''] = (asString(dig(container, 'image')) ?? '').split(':');
  return {
    repository,
    tag,
    digest: '',
    pullPolicy: asString(dig(container, 'imagePullPolicy')) ?? '',
    replicas: asNumber(dig(deployment, 'spec', 'replicas')) ?? 1,
    resources: mapOf(dig(container, 'resources')),
    topologySpreadConstraints: asList(dig(pod, 'topologySpreadConstraints')).map(mapOf),
    maxUnavailable: asNumber(dig(budget, 'spec', 'maxUnavailable')) ?? 1,
  };
}

function mapOf(value: unknown): object {
  if (typeof value !== 'object' || value === null) throw new Error('deploy/ lacks a map');
  return value;
}
