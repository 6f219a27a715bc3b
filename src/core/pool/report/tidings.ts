// What is worth an event? What has become true or false since the last status.
import type { SwarmPoolStatus } from '../../../api/validate.ts';
import { type Condition, isTrue } from '../../conditions.ts';
import type { EventText } from '../../decision.ts';
import type { EventReason } from '../reasons.ts';

type Conditions = readonly Condition[] | undefined;

export function tidings(before: SwarmPoolStatus | undefined, after: SwarmPoolStatus): readonly EventText[] {
  const was: Conditions = before?.conditions;
  const is: Conditions = after.conditions;
  const became = (type: string): boolean => isTrue(is, type) && !isTrue(was, type);
  const isStuck = reasonOf(is, 'Converged') === 'WorkersStuck' && reasonOf(was, 'Converged') !== 'WorkersStuck';
  const rows: readonly (EventText | false)[] = [
    became('Converged') && {
      type: 'Normal',
      action: 'Verify',
      reason: 'Converged' satisfies EventReason,
      message: messageOf(is, 'Converged'),
    },
    became('Stalled') && { type: 'Warning', action: 'Decide', reason: reasonOf(is, 'Stalled'), message: messageOf(is, 'Stalled') },
    became('ProbeUnreachable') && {
      type: 'Warning',
      action: 'Verify',
      reason: 'ProbeUnreachable' satisfies EventReason,
      message: messageOf(is, 'ProbeUnreachable'),
    },
    isStuck && { type: 'Warning', action: 'Refresh', reason: 'WorkersStuck' satisfies EventReason, message: messageOf(is, 'Converged') },
  ];
  return rows.filter((row) => row !== false);
}

const find = (conditions: Conditions, type: string): Condition | undefined => conditions?.find((condition) => condition.type === type);
const reasonOf = (conditions: Conditions, type: string): string => find(conditions, type)?.reason ?? '';
const messageOf = (conditions: Conditions, type: string): string => find(conditions, type)?.message ?? '';
