// How do workers learn of a new slice? They are nudged, or replaced in waves.
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { ANNOTATION_RESTARTED } from '../labels.ts';
import { patchStep } from '../publish/config-maps.ts';
import type { PoolEvent } from '../reasons.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { nudgesNow } from './nudge.ts';
import { restartsNow } from './restart.ts';

type Refresh = {
  readonly steps: readonly Step[];
  readonly events: readonly PoolEvent[];
  readonly nextInMs: number | undefined;
};

/** After the publication: repeats nudges, replaces the next pods. */
export function refreshNow(world: PoolWorld, desired: DesiredState): Refresh {
  const { mode } = desired.spec.refresh;
  // A pod that is to be replaced must not follow a part of the change first.
  const workers = desired.workers.filter((worker) => mode !== 'Restart' || !worker.isOutdated);
  const nudges = nudgesNow({ ...desired, workers }, new Set(), world);
  const restarts = mode === 'Reload' ? [] : restartsNow(world, desired);
  if (restarts.length === 0) return { ...nudges, events: [] };
  const names = restarts.map(({ name }) => name);
  const message = `${plural(names.length, 'worker')} replaced, to take up what it was assigned: ${listed(names)}`;
  return {
    ...nudges,
    steps: [
      ...nudges.steps,
      ...noteRestarts(world, desired, restarts),
      ...restarts.flatMap(({ pod }) =>
        pod === undefined ? [] : [{ do: 'evict', pod: versionedRefOf(pod) } as const],
      ),
    ],
    events: [{ type: 'Normal', reason: 'Restarting', action: 'Refresh', message }],
  };
}

/** Noted before the eviction: a crash in between skips one restart, but never repeats one. */
function noteRestarts(
  { published }: PoolWorld,
  { slices }: DesiredState,
  restarts: readonly PoolWorker[],
): readonly Step[] {
  const ignoring = restarts.filter(({ isOutdated }) => !isOutdated);
  const [shard] = published.shards;
  if (ignoring.length === 0 || shard === undefined) return [];
  const restarted = Object.fromEntries([
    ...Object.entries(published.restarted).filter(
      ([worker, version]) => slices.get(worker)?.version === version,
    ),
    ...ignoring.map(({ name }) => [name, slices.get(name)?.version ?? 0] as const),
  ]);
  const annotations = { [ANNOTATION_RESTARTED]: JSON.stringify(restarted) };
  return [patchStep(shard.configMap, { metadata: { annotations } })];
}
