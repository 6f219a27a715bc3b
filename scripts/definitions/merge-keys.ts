// By which key does kustomize merge a patch into one of our lists? The list keys of the CRDs, in
// the format that kustomize reads.
import { dump } from 'js-yaml';
import type { Definition, Schema } from './schema.ts';

const GENERATED =
  '# GENERATED from crds/ by scripts/generate.ts. For kustomize: a patch of one entry of a list changes only this one.\n';

/**
 * An OpenAPI schema of only the lists whose entries have a key, and the fields that lead to them.
 */
export function mergeKeys(definitions: readonly Definition[]): string {
  const schemas = definitions.flatMap(({ kind, apiVersion, schema }) => {
    const [group = '', version = ''] = apiVersion.split('/');
    const spec = pruned(schema.properties?.['spec'] ?? {});
    if (spec === undefined) return [];
    const groupVersionKind = [{ group, version, kind }];
    const definition = {
      type: 'object',
      'x-kubernetes-group-version-kind': groupVersionKind,
      properties: { spec },
    };
    return [[`${group.split('.').reverse().join('.')}.${version}.${kind}`, definition] as const];
  });
  return `${GENERATED}${dump({ definitions: Object.fromEntries(schemas) }, { lineWidth: 120 })}`;
}

/** Undefined: no list in it has a key. */
function pruned({ properties, items, ...rest }: Schema): object | undefined {
  const inside = Object.entries(properties ?? {}).flatMap(([name, inner]) => {
    const kept = pruned(inner);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (inside.length > 0) return { type: 'object', properties: Object.fromEntries(inside) };
  // Kustomize supports one key for a list: of kind and name, the name.
  const key = rest['x-kubernetes-list-map-keys']?.at(-1);
  if (items === undefined || key === undefined) return undefined;
  const entry = pruned(items) ?? { type: 'object' };
  return {
    type: 'array',
    items: entry,
    'x-kubernetes-patch-merge-key': key,
    'x-kubernetes-patch-strategy': 'merge',
  };
}
