// How do the definitions and the sample get into a cluster, and out again?
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { loadAll } from 'js-yaml';
import { type Kind, kinds } from '../../../api/kinds.ts';
import { asList, asString, dig, isKubeObject, isRecord, type KubeObject } from '../../../api/objects.ts';
import type { KubeApi } from '../../../kube/api.ts';
import { hasCode } from '../../../kube/errors.ts';
import type { Target } from './sight.ts';

const root = new URL('../../../../', import.meta.url);
const FIELD_MANAGER = 'swarm-demo';
const ESTABLISHED_MS = 30_000;
const GONE_MS = 90_000;

/** As samples/tv names them. */
export const target: Target = { namespace: 'swarm', pool: 'tv', statefulSet: 'swarm-worker' };

export type Sample = { readonly namespace: KubeObject; readonly rest: readonly KubeObject[]; readonly streams: readonly string[] };

export function readSample(workerImage: string | undefined): Sample {
  const [kustomization] = objectsIn('samples/tv/kustomization.yaml');
  const objects = asList(dig(kustomization, 'resources')).flatMap((file) => objectsIn(`samples/tv/${String(file)}`).filter(isKubeObject));
  const pool = objects.find(({ kind }) => kind === kinds.SwarmPool.kind);
  const namespace = objects.find(({ kind }) => kind === kinds.Namespace.kind);
  if (namespace === undefined) throw new Error('samples/tv has no Namespace');
  return {
    namespace,
    rest: objects.filter((object) => object !== namespace).map((object) => withImage(object, workerImage)),
    streams: asList(dig(pool, 'spec', 'streams')).map((stream) => asString(dig(stream, 'name')) ?? ''),
  };
}

const objectsIn = (file: string): readonly unknown[] => loadAll(readFileSync(new URL(file, root), 'utf8'));

function withImage(object: KubeObject, image: string | undefined): KubeObject {
  const spec = dig(object, 'spec');
  const template = dig(spec, 'template');
  const podSpec = dig(template, 'spec');
  if (image === undefined || !isRecord(spec) || !isRecord(template) || !isRecord(podSpec)) return object;
  const containers = asList(podSpec['containers']).map((container) => (isRecord(container) ? { ...container, image } : container));
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...podSpec, containers } } } };
}

/** Those that were not there before; those that were are used as they are. Returns when all are served. */
export async function applyDefinitions(api: KubeApi): Promise<readonly string[]> {
  const files = readdirSync(new URL('crds/', root)).filter((file) => file.endsWith('.yaml'));
  const definitions = files.flatMap((file) => objectsIn(`crds/${file}`).filter(isKubeObject));
  const made: string[] = [];
  for (const definition of definitions) {
    if (!(await isThere(api, kinds.CustomResourceDefinition, definition.metadata))) {
      await apply(api, definition);
      made.push(definition.metadata.name);
    }
  }
  for (const { metadata } of definitions)
    await until(`CRD ${metadata.name} is served`, ESTABLISHED_MS, () => isEstablished(api, metadata.name));
  return made;
}

async function isEstablished(api: KubeApi, name: string): Promise<boolean> {
  const conditions = asList(dig(await api.get(kinds.CustomResourceDefinition, { name }), 'status', 'conditions'));
  return conditions.some((condition) => dig(condition, 'type') === 'Established' && dig(condition, 'status') === 'True');
}

export async function apply(api: KubeApi, object: KubeObject): Promise<void> {
  const kind: Kind | undefined = Object.values(kinds).find((it) => it.kind === object.kind);
  if (kind === undefined) throw new Error(`the sample has a ${object.kind}, which the demo does not know`);
  await api.patch(kind, object.metadata, { type: 'apply', body: object, fieldManager: FIELD_MANAGER, force: true });
}

export async function isThere(api: KubeApi, kind: Kind, ref: { readonly name: string; readonly namespace?: string }): Promise<boolean> {
  try {
    await api.get(kind, ref);
    return true;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return false;
    throw error;
  }
}

/** Returns when nothing of it is left. */
export async function removeSample(api: KubeApi, definitions: readonly string[]): Promise<void> {
  const namespace = { name: target.namespace };
  if (await isThere(api, kinds.Namespace, namespace)) await api.delete(kinds.Namespace, namespace);
  await until(`namespace ${namespace.name} is gone`, GONE_MS, async () => !(await isThere(api, kinds.Namespace, namespace)));
  for (const name of definitions) await api.delete(kinds.CustomResourceDefinition, { name });
}

async function until(what: string, ms: number, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`after ${ms / 1_000} s still not: ${what}`);
    await delay(50);
  }
}
