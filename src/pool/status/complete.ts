// Is all work of a pool done (streamPolicy.completion Once)?
import type { Wanted } from '../../core/conditions.ts';
import { plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { ConditionReason } from '../reasons.ts';
import type { StreamHealth } from './stream-health.ts';

export function complete(
  { failed }: Pick<StreamHealth, 'failed'>,
  { completed, streams }: Pick<DesiredState, 'completed' | 'streams'>,
): Wanted & { readonly reason: ConditionReason } {
  const type = 'Complete';
  const total = streams.length;
  const done = `${completed.size} of ${plural(total, 'stream')} ${completed.size === 1 ? 'is' : 'are'} completed`;
  if (total === 0 || completed.size + failed < total) {
    const idle = streams.filter((it) => it.isSuspended === true && !completed.has(it.name)).length;
    const message = idle === 0 ? done : `${done}, ${idle} ${idle === 1 ? 'is' : 'are'} suspended`;
    return { type, status: 'False', reason: 'StreamsOpen', message };
  }
  return failed === 0
    ? { type, status: 'True', reason: 'AllCompleted', message: done }
    : { type, status: 'True', reason: 'SomeFailed', message: `${done}, ${failed} failed` };
}
