// How does a definition get into the cluster? It is applied, as soon as the API server is up.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { kinds } from '../../api/kinds.ts';
import { asList, dig, isKubeObject, type KubeObject } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import type { KubeApi } from '../client/api.ts';
import { KubeError } from '../client/errors.ts';
import { type Clock, sleep } from '../clock.ts';
import { StartError } from '../start-error.ts';

const AGAIN_MS = 2_000;
/** In a row: a starting API server also refuses, until it has read its rules. */
const REFUSED_TIMES = 5;

export type RegistrationLog = {
  info(message: string): void;
  warn(message: string, facts?: object): void;
};

type ApplyOptions = {
  readonly api: Pick<KubeApi, 'patch'>;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly logger: RegistrationLog;
};

/** Throws a StartError when the file has something else in it. */
export function readDefinition(crdFile: string): KubeObject {
  const crd: unknown = load(readFileSync(crdFile, 'utf8'));
  if (isKubeObject(crd) && crd.kind === kinds.CustomResourceDefinition.kind) return crd;
  throw notApplied(new Error(`${crdFile} is not a CustomResourceDefinition`));
}

/** What the framework returns of a definition. */
export const definedBy = (crd: KubeObject) => ({
  group: String(dig(crd, 'spec', 'group')),
  plural: String(dig(crd, 'spec', 'names', 'plural')),
  versions: asList(dig(crd, 'spec', 'versions')).map((it) => ({
    name: String(dig(it, 'name')),
    served: dig(it, 'served') === true,
    storage: dig(it, 'storage') === true,
  })),
});

/**
 * Waits for an API server that is not up yet, but not for one that refuses: then it throws a
 * StartError. Resolves also when the operator stops.
 */
export async function applyDefinition(crd: KubeObject, options: ApplyOptions): Promise<void> {
  const { api, clock, stopping, logger } = options;
  const ref = { name: crd.metadata.name };
  const patch = { type: 'apply', body: crd, fieldManager: 'swarm-operator', force: true } as const;
  for (let refusals = 0; !stopping.aborted; ) {
    try {
      await api.patch(kinds.CustomResourceDefinition, ref, patch);
      return logger.info(`registered ${ref.name}`);
    } catch (error) {
      refusals = error instanceof KubeError && error.verdict === 'retry' ? 0 : refusals + 1;
      if (refusals === REFUSED_TIMES) throw notApplied(error);
      logger.warn('cannot apply the CRDs: retrying', { error: String(error) });
      await sleep(clock, AGAIN_MS, stopping);
    }
  }
}

function notApplied(error: unknown): StartError {
  const why = error instanceof KubeError ? `${error.code}: ${error.message}` : errorText(error);
  const how = 'let an administrator run kubectl apply -f crds/, and remove --register-crds';
  return new StartError(`cannot apply the CRDs (${why}); ${how}`);
}
