// Brings the definitions and the sample into a cluster, and out again.
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { type Kind, kinds } from '../../api/kinds.ts';
import {
  asList,
  asString,
  dig,
  isKubeObject,
  type KubeObject,
  type Ref,
} from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { orNothing } from '../../runtime/client/errors.ts';
import type { ObservedTarget } from './observation.ts';

const root = new URL('../../../', import.meta.url);
const FIELD_MANAGER = 'swarm-demo';
const ESTABLISHED_MS = 120_000;
const GONE_MS = 90_000;

export const NAMESPACE = 'swarm';

/** As the samples name them. */
export const targets = {
  tv: { namespace: NAMESPACE, pool: 'tv', statefulSet: 'swarm-worker' },
  market: { namespace: NAMESPACE, pool: 'market', statefulSet: 'market-worker' },
} as const satisfies Record<string, ObservedTarget>;

const folders = { tv: 'samples/tv', market: 'samples/exclusive' } as const;

export type PoolName = keyof typeof targets;

/** The streams in the list of the sample's pool. */
export function streamsOf(name: PoolName): readonly string[] {
  const pool = objectsIn(`${folders[name]}/pool.yaml`).find(
    (object) => dig(object, 'kind') === kinds.SwarmPool.kind,
  );
  return asList(dig(pool, 'spec', 'streams')).map((stream) => asString(dig(stream, 'name')) ?? '');
}

export const namespaceObject = (): KubeObject => ({
  apiVersion: 'v1',
  kind: kinds.Namespace.kind,
  metadata: { name: NAMESPACE },
});

export const folderOf = (name: PoolName): string => folders[name];

/** The sample with another image of the workers. */
export function overlayOf(name: PoolName, workerImage: string, scratch: string): string {
  const overlay = path.join(realpathSync(scratch), name);
  mkdirSync(overlay, { recursive: true });
  const replace = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: workerImage },
  ];
  const kustomization = {
    resources: [path.relative(overlay, fileURLToPath(new URL(folders[name], root)))],
    patches: [{ target: { kind: kinds.StatefulSet.kind }, patch: JSON.stringify(replace) }],
  };
  writeFileSync(path.join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
  return overlay;
}

const objectsIn = (file: string): readonly unknown[] =>
  loadAll(readFileSync(new URL(file, root), 'utf8'));

/** Applies CRDs that are missing, and returns their names when all are served. */
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
    await until(`waiting until CRD ${metadata.name} is served`, ESTABLISHED_MS, () =>
      isEstablished(api, metadata.name),
    );
  return made;
}

async function isEstablished(api: KubeApi, name: string): Promise<boolean> {
  const conditions = asList(
    dig(await api.get(kinds.CustomResourceDefinition, { name }), 'status', 'conditions'),
  );
  return conditions.some(
    (condition) => dig(condition, 'type') === 'Established' && dig(condition, 'status') === 'True',
  );
}

export async function apply(api: KubeApi, object: KubeObject): Promise<void> {
  const kind: Kind | undefined = Object.values(kinds).find((it) => it.kind === object.kind);
  if (kind === undefined)
    throw new Error(`the sample contains a ${object.kind}, which the demo cannot apply`);
  await api.patch(kind, object.metadata, {
    type: 'apply',
    body: object,
    fieldManager: FIELD_MANAGER,
    force: true,
  });
}

export const isThere = async (api: KubeApi, kind: Kind, ref: Ref): Promise<boolean> =>
  (await orNothing(api.get(kind, ref))) !== undefined;

/** Returns when all of it is gone. */
export async function removeSample(api: KubeApi, definitions: readonly string[]): Promise<void> {
  const namespace = { name: NAMESPACE };
  if (await isThere(api, kinds.Namespace, namespace)) await api.delete(kinds.Namespace, namespace);
  await until(
    `waiting until namespace ${namespace.name} is deleted`,
    GONE_MS,
    async () => !(await isThere(api, kinds.Namespace, namespace)),
  );
  for (const name of definitions) await api.delete(kinds.CustomResourceDefinition, { name });
}

async function until(what: string, ms: number, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${ms / 1_000} s: ${what}`);
    await delay(50);
  }
}
