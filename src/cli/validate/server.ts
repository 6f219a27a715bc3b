// Would the API server accept this object? It is asked by a dry run, which keeps nothing.
import { type Kind, kinds } from '../../api/kinds.ts';
import { brokenField, isKubeObject, type KubeObject } from '../../api/objects.ts';
import type { KubeClient } from '../../runtime/client/client.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { withoutNulls } from '../files/read.ts';
import { type LocatedProblem, locate, type OwnDocument } from './documents.ts';

export async function refusalsOf(
  api: KubeClient,
  namespace: string,
  document: OwnDocument,
): Promise<readonly LocatedProblem[]> {
  const value = withoutNulls(document.value);
  if (!isKubeObject(value)) {
    const field = brokenField(value) ?? '';
    return [locate(document, { field, message: 'is missing, or has the wrong type' })];
  }
  try {
    await dryRun(api, kinds[document.kind], {
      ...value,
      metadata: { namespace, ...value.metadata },
    });
    return [];
  } catch (error) {
    if (!(error instanceof Error) || !hasCode(error, 'Invalid', 'Forbidden', 'NotFound'))
      throw error;
    const message = error.message.replace(/^(POST|PUT) \S+: /, '');
    return [locate(document, { field: fieldIn(message), message })];
  }
}

/** As a new object, or in place of the one of this name. */
async function dryRun(api: KubeClient, kind: Kind, object: KubeObject): Promise<void> {
  try {
    await api.create(kind, object, { isTrial: true });
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    const { resourceVersion, uid } = (await api.get(kind, object.metadata)).metadata;
    const metadata = {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
    };
    await api.replace(kind, { ...object, metadata }, undefined, { isTrial: true });
  }
}

/** The first field that the message names. */
const fieldIn = (message: string): string =>
  /\b(?:spec|metadata)(?:\.[\w.[\]]+)?/.exec(message)?.[0] ?? '';
