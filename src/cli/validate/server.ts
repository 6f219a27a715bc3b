// Would the API server take these manifests? It is asked, without anything being kept.
import { kinds } from '../../api/kinds.ts';
import { brokenField, isKubeObject, type KubeObject } from '../../api/objects.ts';
import type { KubeClient } from '../../runtime/client/client.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { withoutNulls } from '../files/read.ts';
import { type Found, locate, type PoolDocument } from './check.ts';

export async function refusalsOf(
  api: KubeClient,
  namespace: string,
  document: PoolDocument,
): Promise<readonly Found[]> {
  const value = withoutNulls(document.value);
  if (!isKubeObject(value))
    return [
      locate(document, {
        field: brokenField(value) ?? '',
        message: 'is missing, or not of its type',
      }),
    ];
  const object = {
    ...value,
    metadata: { ...value.metadata, namespace: value.metadata.namespace ?? namespace },
  };
  try {
    await tried(api, object);
    return [];
  } catch (error) {
    if (!(error instanceof Error) || !hasCode(error, 'Invalid', 'Forbidden', 'NotFound'))
      throw error;
    const message = error.message.replace(/^(POST|PUT) \S+: /, '');
    return [locate(document, { field: fieldIn(message), message })];
  }
}

/** As a new one, or in place of the one that is there. */
async function tried(api: KubeClient, object: KubeObject): Promise<void> {
  try {
    await api.create(kinds.SwarmPool, object, { isTrial: true });
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    const { resourceVersion, uid } = (await api.get(kinds.SwarmPool, object.metadata)).metadata;
    const metadata = {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
    };
    await api.replace(kinds.SwarmPool, { ...object, metadata }, undefined, { isTrial: true });
  }
}

/** The first that it names. */
const fieldIn = (message: string): string =>
  /\b(?:spec|metadata)(?:\.[\w.[\]]+)?/.exec(message)?.[0] ?? '';
