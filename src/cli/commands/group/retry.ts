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
    summary: 'tries a size that failed again now, not when its time has come',
    operands: { usage: 'GROUP', least: 1, most: 1 },
    about: `A size that was not reached is tried again after transition.retryAfterSeconds, doubled by each failure up to an hour. Who has found and
mended the cause need not wait: the annotation ${ANNOTATION_RETRY} is set to the present time, and the operator tries the size at
once. (An edit of the group or of a member does the same.)

${groupExitCodes}
1 is: nothing waits to be tried again, or the group is paused; nothing is changed then.`,
    examples: [['swarmctl group retry teastore', 'the image can be pulled now']],
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
  if (ready === undefined) return 'no operator has looked at it yet';
  if (isPaused(group)) return 'it is paused; resume it, and its size is tried';
  if (!isCurrent(group))
    return 'the operator has not looked at its last change yet, which is tried at once';
  if (ready.reason === 'BackingOff') return undefined;
  const { transition } = group.status ?? {};
  const last =
    transition === undefined
      ? 'there was no transition'
      : `the transition to size ${transition.to} is ${transition.state}`;
  return `nothing waits to be tried again: ${last} (${ready.reason}: ${ready.message})`;
}

function retryText({ spec, status }: SwarmGroup, now: number): string {
  const size = (spec.ok ? spec.value.replicas : undefined) ?? status?.transition?.to;
  const failed = status?.history?.find(
    ({ to, outcome }) => to === size && outcome !== 'Completed' && outcome !== 'Superseded',
  );
  const since =
    failed === undefined
      ? ''
      : ` (${failed.outcome}; asked for ${sinceText(failed.requestTime, now)} ago)`;
  return `size ${size} is tried again now${since}`;
}
