// swarmctl group retry: is a size that failed tried again now? An annotation asks for it, which a
// spec that is kept in Git does not undo.
import { kinds } from '../../../api/kinds.ts';
import type { SwarmGroup } from '../../../api/validate.ts';
import { ANNOTATION_RETRY } from '../../../core/labels.ts';
import {
  type Command,
  command,
  exitCodes,
  groupExitCodes,
  groupFlags,
} from '../../arguments/command.ts';
import { readGroup, withCluster } from '../../cluster/connect.ts';
import { isCurrent, isPaused, readyOf } from '../../views/state.ts';
import { sinceText } from '../../views/time.ts';

export const groupRetry: Command = command(
  {
    name: 'group retry',
    summary: 'retry a failed size now instead of after its backoff',
    operands: { usage: 'GROUP', least: 1, most: 1 },
    about: `The operator retries a size that was not reached after transition.retryAfterSeconds, doubled by each failure up to an hour. If you have
fixed the cause, you need not wait: this command sets the annotation ${ANNOTATION_RETRY} to the current time, and the operator retries
the size at once. (An edit of the group or of a member has the same effect.)

${groupExitCodes}
1 means: no size is waiting for a retry, or the group is paused; nothing was changed.`,
    examples: [['swarmctl group retry teastore', 'its image can be pulled now']],
    flags: groupFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const group = await readGroup(cluster, name);
      const refusal = whyNotRetried(group);
      const { namespace, uid } = group.meta;
      if (refusal !== undefined) {
        terminal.problem(`SwarmGroup ${namespace}/${name}: ${refusal}`);
        return exitCodes.no;
      }
      const annotations = { [ANNOTATION_RETRY]: new Date().toISOString() };
      const body = { metadata: { uid, annotations } };
      await cluster.api.patch(kinds.SwarmGroup, { namespace, name }, { type: 'merge', body });
      terminal.out(`SwarmGroup ${namespace}/${name}: ${retryText(group, Date.now())}`);
      return exitCodes.ok;
    }),
);

function whyNotRetried(group: SwarmGroup): string | undefined {
  const ready = readyOf(group);
  if (ready === undefined) return 'no operator has reconciled the group yet';
  if (isPaused(group)) return 'the group is paused; resume it, and the operator tries its size';
  if (!isCurrent(group))
    return 'the operator has not reconciled its last change yet, and will try that at once';
  if (ready.reason === 'BackingOff') return undefined;
  const { transition } = group.status ?? {};
  const last =
    transition === undefined
      ? 'there was no transition'
      : `the transition to size ${transition.to} is ${transition.state}`;
  return `no size is waiting for a retry: ${last} (${ready.reason}: ${ready.message})`;
}

function retryText({ spec, status }: SwarmGroup, now: number): string {
  const size = (spec.ok ? spec.value.replicas : undefined) ?? status?.transition?.to;
  const failed = status?.history?.find(
    ({ to, outcome }) => to === size && outcome !== 'Completed' && outcome !== 'Superseded',
  );
  const since =
    failed === undefined
      ? ''
      : ` (${failed.outcome}; requested ${sinceText(failed.requestTime, now)} ago)`;
  return `the operator retries size ${size} now${since}`;
}
