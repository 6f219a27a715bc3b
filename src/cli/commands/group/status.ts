// swarmctl group status: how are the groups, and what is on its way?
import { kinds } from '../../../api/kinds.ts';
import { readGroups } from '../../cluster/connect.ts';
import { statusCommand } from '../../cluster/show-status.ts';
import { groupLines, groupsTable } from '../../views/group-status.ts';

export const groupStatus = statusCommand(
  {
    name: 'group status',
    what: 'group',
    summary: 'show groups, their members and transitions, and what is not ready',
    about: `For one group: a row for each member with its wanted, current and ready replicas, and why it is not ready yet; and the current
transition, or the last one. Without a name: a line for each group. All of it comes from the group's status, which the operator writes.`,
    examples: [
      ['swarmctl group status teastore', 'one group'],
      ['swarmctl group status -A', 'a line for each group of the cluster'],
      [
        'swarmctl group status teastore --watch --until-ready',
        'wait until it has reached its size',
      ],
    ],
  },
  {
    kind: kinds.SwarmGroup,
    read: readGroups,
    one: (group, width, _, now) => groupLines(group, width, now),
    list: groupsTable,
  },
);
