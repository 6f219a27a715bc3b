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
    summary: 'show which members would be scaled, to what, in which order; changes nothing',
    operands: { usage: 'GROUP', least: 1, most: 1 },
    about: `Computes, as the operator does, the replicas of each member at the currently wanted size, or at --replicas, and the order of scaling:
with transition.order Staged in turns, each ready before the next one begins. Without --replicas: shows the pending changes, also of a
paused group. The current replicas come from the group's status.

${groupExitCodes}
1 means: the operator would not scale a member (it is missing, in conflict, or cannot be scaled), or no plan is possible.`,
    examples: [
      ['swarmctl group plan teastore --replicas 5', 'at size 5'],
      ['swarmctl group plan teastore -o json', 'the pending changes, as JSON'],
    ],
    flags: {
      replicas: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 100_000,
        help: 'plan for this size of the group',
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
        const text = `no plan is possible: ${plan}`;
        print(terminal, values.output, { namespace, group: name, problem: plan }, () => [
          [{ text, style: 'bad' }],
        ]);
        return exitCodes.no;
      }
      print(terminal, values.output, plan, () => groupPlanLines(plan, terminal.width));
      return plan.left.length === 0 ? exitCodes.ok : exitCodes.no;
    }),
);
