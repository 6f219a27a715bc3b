// What is published for a pool? All of its ConfigMaps, read as one.
import {
  type Assignment,
  placedIn,
  readAssignment,
  type Slice,
} from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmPool } from '../../../src/api/validate.ts';
import { LABEL_POOL } from '../../../src/pool/publish/config-map.ts';
import { shardsOf } from '../../../src/pool/publish/published.ts';
import type { Shard } from '../../../src/pool/world.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';

const readings = new Map<string, Assignment | undefined>();

/** Texts repeat: parse each once. */
export function reading(text: string): Assignment | undefined {
  if (readings.size > 500) readings.clear();
  if (!readings.has(text)) {
    const read = readAssignment(text);
    readings.set(text, read.ok ? read.assignment : undefined);
  }
  return readings.get(text);
}

const named = new WeakMap<KubeObject, readonly Shard[]>();
const usual: readonly Shard[] = [{ name: 'tv-assignments', key: 'config.yml' }];

/** The ConfigMaps that the pool names; without a pool, the default ones. */
export function shardsNamedIn(server: ApiServer): readonly Shard[] {
  const pool = server.find(kinds.SwarmPool, poolRef);
  if (pool === undefined) return usual;
  const known = named.get(pool);
  if (known !== undefined) return known;
  const { spec } = parseSwarmPool(pool);
  const shards = spec.ok ? shardsOf(poolRef.name, spec.value) : usual;
  named.set(pool, shards);
  return shards;
}

function partsOf(server: ApiServer, only?: string): readonly string[] {
  return shardsNamedIn(server).flatMap(({ name, key }) => {
    if (only !== undefined && name !== only) return [];
    const text = dig(server.find(kinds.ConfigMap, { namespace: NAMESPACE, name }), 'data', key);
    return typeof text === 'string' ? [text] : [];
  });
}

/**
 * The highest version in any ConfigMap of the pool, including those under earlier names: a new
 * version must be above all of them.
 */
export function highestIn(server: ApiServer, except?: string): number {
  return Math.max(0, ...writtenIn(server, except).map(({ version }) => version));
}

/**
 * How many streams are named in any ConfigMap that is not another pool's; the label may have been
 * removed.
 */
export function namedIn(server: ApiServer): number {
  const all = server
    .all({ kind: kinds.ConfigMap, namespace: NAMESPACE })
    .filter(({ metadata }) => (metadata.labels?.[LABEL_POOL] ?? poolRef.name) === poolRef.name);
  return new Set(all.flatMap(assignmentsIn).flatMap((it) => [...streamsIn(it)])).size;
}

const assignmentsIn = ({ data }: KubeObject): readonly Assignment[] =>
  Object.values(asRecord(data) ?? {}).flatMap((text) => reading(String(text)) ?? []);

function writtenIn(server: ApiServer, except?: string): readonly Assignment[] {
  const ours = server
    .all({ kind: kinds.ConfigMap, namespace: NAMESPACE })
    .filter(
      ({ metadata }) => metadata.labels?.[LABEL_POOL] === poolRef.name && metadata.name !== except,
    );
  return ours.flatMap(assignmentsIn);
}

/** Sharded: one version is written in parts, and each part may be spoiled alone. */
export const isSpread = (server: ApiServer): boolean => shardsNamedIn(server).length > 1;

/** Each of its ConfigMaps can be read. */
export const isWhole = (server: ApiServer): boolean =>
  partsOf(server).flatMap((text) => reading(text) ?? []).length === shardsNamedIn(server).length;

/** While a worker moves from one ConfigMap to another it stands in both; the newer entry counts. */
export function publishedIn(server: ApiServer, only?: string): Assignment | undefined {
  return merged(partsOf(server, only).flatMap((text) => reading(text) ?? []));
}

function merged(all: readonly Assignment[]): Assignment | undefined {
  if (all.length === 0) return undefined;
  const workloads = new Map<string, Slice>();
  for (const assignment of all) {
    for (const [worker, slice] of assignment.workloads) {
      if ((workloads.get(worker)?.version ?? 0) < slice.version) workloads.set(worker, slice);
    }
  }
  const movedFrom = new Map(all.flatMap((it) => [...(it.movedFrom ?? [])]));
  const completed = new Map(all.flatMap((it) => [...(it.completed ?? [])]));
  return {
    ...{ workloads, version: Math.max(...all.map(({ version }) => version)), movedFrom },
    ...(completed.size > 0 && { completed }),
  };
}

/** With what the pool has left, which counts until all that it names have a newer version. */
export function countedIn(server: ApiServer): Assignment | undefined {
  const named = partsOf(server).flatMap((text) => reading(text) ?? []);
  const isAll = named.length === shardsNamedIn(server).length;
  const least = isAll ? Math.min(...named.map(({ version }) => version)) : 0;
  return merged([...writtenIn(server).filter(({ version }) => version >= least), ...named]);
}

/** All streams that are assigned or not yet released. */
export const streamsIn = (assignment: Assignment | undefined): ReadonlySet<string> =>
  new Set(
    [...(assignment?.workloads.values() ?? [])].flatMap((slice) => [
      ...placedIn(slice),
      ...(slice.releasing ?? []),
    ]),
  );
