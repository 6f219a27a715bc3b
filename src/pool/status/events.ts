// How are the status and the events of a pool written? An event says what has become true since the
// last status.
import { kinds } from '../../api/kinds.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type Condition, isTrue } from '../../core/conditions.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep, ownStatusSteps } from '../../core/own-status.ts';
import type { EventReason } from '../reasons.ts';
import type { PoolWorld } from '../world.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export const statusSteps = ({ pool }: OfPool, status: SwarmPoolStatus): readonly Step[] =>
  ownStatusSteps(kinds.SwarmPool, pool, status, statusEvents);

export const eventStep = ({ pool }: OfPool, event: EventText): Step =>
  ownEventStep(kinds.SwarmPool, pool.meta, event);

function statusEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const became = (type: string): boolean =>
    isTrue(after.conditions, type) && !isTrue(before?.conditions, type);
  const isNow = (reason: EventReason, type = 'Reconciling'): boolean =>
    conditionOf(after, type)?.reason === reason && conditionOf(before, type)?.reason !== reason;
  const event = (
    type: EventText['type'],
    action: string,
    condition: string,
    reason?: EventReason,
  ): EventText => {
    const found = conditionOf(after, condition);
    return { type, action, reason: reason ?? found?.reason ?? '', message: found?.message ?? '' };
  };
  const rows: readonly (EventText | false)[] = [
    became('Converged') && event('Normal', 'Verify', 'Converged', 'Converged'),
    became('Stalled') && event('Warning', 'Decide', 'Stalled'),
    became('ProbeUnreachable') &&
      event('Warning', 'Verify', 'ProbeUnreachable', 'ProbeUnreachable'),
    isNow('WriteRefused') && event('Warning', 'Write', 'Reconciling', 'WriteRefused'),
    isNow('NotMounted', 'Mounted') &&
      conditionOf(after, 'Mounted')?.status === 'False' &&
      event('Warning', 'Verify', 'Mounted'),
    isNow('PodsNotReady') && event('Warning', 'Verify', 'Reconciling'),
    isNow('TargetNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('StreamsNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('WorkersStuck') && event('Warning', 'Refresh', 'Reconciling', 'WorkersStuck'),
  ];
  return rows.filter((row) => row !== false);
}

const conditionOf = (status: SwarmPoolStatus | undefined, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);
