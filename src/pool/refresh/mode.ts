// Do pods have to be replaced for a change to be followed, and which ones?
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { PoolWorker } from '../workers/workers.ts';

export const isByReplacement = ({ refresh, probe }: SwarmPoolSpec): boolean =>
  refresh.mode === 'Restart' || probe.type === 'None';

/** UIDs of outdated pods that still live, and of the pods of workers whose slice changes now. */
export const outdatedAfter = (
  workers: readonly PoolWorker[],
  changed: ReadonlySet<string>,
): readonly string[] =>
  workers.flatMap(({ pod, isOutdated, name }) =>
    pod !== undefined && (isOutdated || changed.has(name)) ? [pod.uid] : [],
  );
