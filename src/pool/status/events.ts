// Which events follow from a new status? Those for what has become true since the last one.
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type Condition, isTrue } from '../../core/conditions.ts';
import type { EventText } from '../../core/decision.ts';
import type { EventReason, ProgressReason } from '../reasons.ts';

type Conditions = readonly Condition[] | undefined;

export function statusEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const was: Conditions = before?.conditions;
  const is: Conditions = after.conditions;
  const became = (type: string): boolean => isTrue(is, type) && !isTrue(was, type);
  const isNow = (reason: ProgressReason): boolean =>
    reasonOf(is, 'Reconciling') === reason && reasonOf(was, 'Reconciling') !== reason;
  const rows: readonly (EventText | false)[] = [
    became('Converged') && {
      type: 'Normal',
      action: 'Verify',
      reason: 'Converged' satisfies EventReason,
      message: messageOf(is, 'Converged'),
    },
    became('Stalled') && {
      type: 'Warning',
      action: 'Decide',
      reason: reasonOf(is, 'Stalled'),
      message: messageOf(is, 'Stalled'),
    },
    became('ProbeUnreachable') && {
      type: 'Warning',
      action: 'Verify',
      reason: 'ProbeUnreachable' satisfies EventReason,
      message: messageOf(is, 'ProbeUnreachable'),
    },
    isNow('WriteRefused') && {
      type: 'Warning',
      action: 'Write',
      reason: 'WriteRefused' satisfies EventReason,
      message: messageOf(is, 'Reconciling'),
    },
    isNow('WorkersStuck') && {
      type: 'Warning',
      action: 'Refresh',
      reason: 'WorkersStuck' satisfies EventReason,
      message: messageOf(is, 'Reconciling'),
    },
  ];
  return rows.filter((row) => row !== false);
}

const find = (conditions: Conditions, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);
const reasonOf = (conditions: Conditions, type: string): string =>
  find(conditions, type)?.reason ?? '';
const messageOf = (conditions: Conditions, type: string): string =>
  find(conditions, type)?.message ?? '';
