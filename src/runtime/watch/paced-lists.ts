// How do the watches of many namespaces list without flooding the API server? A few at a time, one
// of each namespace; and what one answer tells all of them is asked once.
import type { KubeApi } from '../client/api.ts';
import type { Clock } from '../clock.ts';
import { FairSemaphore } from '../queue/fair-semaphore.ts';
import { SharedVersions } from './shared-versions.ts';

const MOST_LISTS = 16;

/** What a watcher asks of the API server. */
export type WatchedApi = Pick<
  KubeApi,
  'list' | 'renewConnections' | 'version' | 'watch' | 'watchSeconds'
>;

/**
 * Seven hundred lists at once, as at the start of an operator with fifty namespaces, are a
 * connection each, and most are refused with 429. A namespace whose lists are slow delays no other.
 */
export function pacedLists(api: WatchedApi, stopping: AbortSignal, clock: Clock): WatchedApi {
  const versions = new SharedVersions(clock);
  const semaphore = new FairSemaphore(MOST_LISTS);
  const stop = (): void => semaphore.abandon(semaphore, new Error('the operator stops'));
  stopping.addEventListener('abort', stop, { once: true });
  const inTurn = async <T>(namespace = '', ask: () => Promise<T>): Promise<T> => {
    await semaphore.acquire(namespace, semaphore);
    try {
      return await ask();
    } finally {
      semaphore.release(namespace);
    }
  };
  return {
    list: (kind, namespace, ...rest) => inTurn(namespace, () => api.list(kind, namespace, ...rest)),
    version: (kind, namespace, ...rest) =>
      versions.of(kind, () => inTurn(namespace, () => api.version(kind, namespace, ...rest))),
    watch: (...asked) => api.watch(...asked),
    watchSeconds: () => api.watchSeconds(),
    renewConnections: () => api.renewConnections(),
  };
}
