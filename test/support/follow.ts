// Which states has each object of a kind in a namespace had? By watches that no fault hits, each
// from where the last one ended, so that none is missed, also while the API server restarts.
import type { Kind } from '../../src/api/kinds.ts';
import type { KubeObject } from '../../src/api/objects.ts';
import type { KubeApi } from '../../src/runtime/client/api.ts';
import { hasCode } from '../../src/runtime/client/errors.ts';
import { sleep, systemClock } from '../../src/runtime/clock.ts';

const WATCH_SECONDS = 300;
const AGAIN_MS = 100;

/** Until the signal is aborted. */
export async function follow(
  api: KubeApi,
  kind: Kind,
  namespace: string,
  take: (object: KubeObject) => void,
  signal: AbortSignal,
): Promise<void> {
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      if (resourceVersion === undefined) {
        const listing = await api.list(kind, namespace, undefined, { signal });
        listing.items.forEach(take);
        resourceVersion = listing.resourceVersion;
      }
      const options = { resourceVersion, timeoutSeconds: WATCH_SECONDS };
      for await (const { type, object } of api.watch(kind, namespace, options, { signal })) {
        if (type === 'ADDED' || type === 'MODIFIED') take(object);
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      }
    } catch (error) {
      if (hasCode(error, 'Gone')) resourceVersion = undefined;
      await sleep(systemClock, AGAIN_MS, signal);
    }
  }
}
