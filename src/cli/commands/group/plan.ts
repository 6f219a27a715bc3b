// swarmctl group plan: which members would be scaled, and to what?
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  command,
  exitCodes,
  groupExitCodes,
  groupFlags,
  output,
} from '../../arguments/command.ts';
import { print } from '../../arguments/terminal.ts';
import { readGroup, withCluster } from '../../cluster/connect.ts';
import { readMemberAnnotations } from '../../cluster/member-annotations.ts';
import { planGroup } from '../../group/plan.ts';
import { groupPlanLines } from '../../views/group-plan.ts';

export const groupPlan: Command = command(
  {
    name: 'group plan',
    summary: 'which members would be scaled, to what, in which order; nothing is touched',
    operands: { usage: 'GROUP', least: 1, most: 1 },
    about: `Computes like the operator what each member has at the size that is wanted now, or at another one, and in which order they are scaled:
with transition.order Staged turn by turn, each ready before the next. Without --replicas: what is about to happen, also of a paused
group. What the members have is what the operator says in the group's status.

${groupExitCodes}
1 is: a member would be left alone (it is missing, in conflict, or cannot be scaled), or nothing can be planned.`,
    examples: [
      ['swarmctl group plan teastore --replicas 5', 'at size 5'],
      ['swarmctl group plan teastore -o json', 'what waits, for programs'],
    ],
    flags: {
      replicas: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 100_000,
        help: 'at this size of the group',
      },
      output,
      ...groupFlags,
    },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const group = await readGroup(cluster, name);
      const annotations = await readMemberAnnotations(cluster, group);
      const { replicas } = values;
      const plan = planGroup(group, systemClock.now(), { replicas, annotations });
      if (typeof plan === 'string') {
        const { namespace } = cluster;
        const text = `nothing can be planned: ${plan}`;
        print(terminal, values.output, { namespace, group: name, problem: plan }, () => [
          [{ text, style: 'bad' }],
        ]);
        return exitCodes.no;
      }
      print(terminal, values.output, plan, () => groupPlanLines(plan, terminal.width));
      return plan.left.length === 0 ? exitCodes.ok : exitCodes.no;
    }),
);
