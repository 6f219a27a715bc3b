// swarmctl group status: how are the groups, and what is on its way?
import { kinds } from '../../../api/kinds.ts';
import type { SwarmGroup } from '../../../api/validate.ts';
import {
  type Command,
  command,
  groupExitCodes,
  groupFlags,
  output,
} from '../../arguments/command.ts';
import { readGroups, withCluster } from '../../cluster/connect.ts';
import { showStatus, watchFlags } from '../../cluster/show-status.ts';
import { type Line, tableLines } from '../../render.ts';
import { groupLines, groupsTable } from '../../views/group-status.ts';

export const groupStatus: Command = command(
  {
    name: 'group status',
    summary: 'groups at a glance: members, the transition, what is not as it should be',
    operands: { usage: '[GROUP]', least: 0, most: 1 },
    about: `Of one group its members as rows: the replicas that each is to have, has and has ready, and why it is not there yet; and the
transition that is under way, or the last. Without a name a line for each group. All of it is what the operator says in the group's status.

${groupExitCodes}
1 is: a group is not Ready. With --watch it ends when you end it (Ctrl-C; the code is that of what was so last), or with --until-ready as
soon as all is well.`,
    examples: [
      ['swarmctl group status teastore', 'one group'],
      ['swarmctl group status -A', 'a line for each group of the cluster'],
      ['swarmctl group status teastore --watch --until-ready', 'until it is at its size'],
    ],
    flags: {
      ...watchFlags,
      all: { type: 'switch', short: 'A', help: 'the groups of all namespaces' },
      output,
      ...groupFlags,
    },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, (cluster) =>
      showStatus(
        cluster,
        {
          kind: kinds.SwarmGroup,
          values,
          isOne: name !== undefined,
          read: () => readGroups(cluster, name, values.all),
          lines: (groups, width) => linesOf(groups, name, width),
        },
        terminal,
      ),
    ),
);

function linesOf(
  groups: readonly SwarmGroup[],
  name: string | undefined,
  width: number,
): readonly Line[] {
  const [only] = groups;
  if (only === undefined) return ['no SwarmGroup here; -A looks into all namespaces'];
  return name !== undefined
    ? groupLines(only, width, Date.now())
    : tableLines(groupsTable(groups, Date.now()), width);
}
