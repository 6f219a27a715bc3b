// swarmctl group status: how are the groups, and what is on its way?
import { kinds } from '../../../api/kinds.ts';
import { readGroups } from '../../cluster/connect.ts';
import { statusCommand } from '../../cluster/show-status.ts';
import { groupLines, groupsTable } from '../../views/group-status.ts';

export const groupStatus = statusCommand(
  {
    name: 'group status',
    what: 'group',
    summary: 'groups at a glance: members, the transition, what is not as it should be',
    about: `Of one group its members as rows: the replicas that each is to have, has and has ready, and why it is not there yet; and the
transition that is under way, or the last. Without a name a line for each group. All of it is what the operator says in the group's status.`,
    examples: [
      ['swarmctl group status teastore', 'one group'],
      ['swarmctl group status -A', 'a line for each group of the cluster'],
      ['swarmctl group status teastore --watch --until-ready', 'until it is at its size'],
    ],
  },
  {
    kind: kinds.SwarmGroup,
    read: readGroups,
    one: (group, width, _, now) => groupLines(group, width, now),
    list: groupsTable,
  },
);
