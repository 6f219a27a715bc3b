// How are status and events written?
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type EventText, type Step, versionedRefOf } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import type { PoolWorld } from '../world.ts';
import { statusEvents } from './events.ts';

/** Events follow the status write, so they are sent only if it succeeds. */
export function statusSteps(
  world: Pick<PoolWorld, 'pool'>,
  status: SwarmPoolStatus,
): readonly Step[] {
  const { meta, status: before } = world.pool;
  if (isSameJson(before, status)) return [];
  return [
    { do: 'status', kind: kinds.SwarmPool, ref: versionedRefOf(meta), status },
    ...statusEvents(before, status).map((event) => eventStep(world, event)),
  ];
}

export function eventStep({ pool: { meta } }: Pick<PoolWorld, 'pool'>, event: EventText): Step {
  const { name, namespace, uid } = meta;
  const apiVersion = apiVersionOf(kinds.SwarmPool);
  return {
    do: 'event',
    regarding: { apiVersion, kind: 'SwarmPool', name, namespace, uid },
    event,
  };
}
