// swarmctl confirm-removal: lets a removal through that the pool holds, and no other one.
import { kinds } from '../../api/kinds.ts';
import { ANNOTATION_CONFIRM_REMOVAL } from '../../pool/streams/removal.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import { readPool, withCluster } from '../cluster/connect.ts';

export const confirmRemoval: Command = command(
  {
    name: 'confirm-removal',
    summary: 'streams that a list has lost are removed, where the pool holds that',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `A pool whose list loses all of its streams, or more than spec.removal.maxPercent, goes on with them: LargeRemoval. This sets the
annotation ${ANNOTATION_CONFIRM_REMOVAL} to the digest that status.removal shows: it confirms the removal of these very streams. If others
are lost meanwhile, that is another digest, and the pool goes on holding.

${poolExitCodes}
1 is: the pool holds no removal.`,
    examples: [['swarmctl confirm-removal tv', 'it is meant']],
    flags: clusterFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const { namespace } = cluster;
      const { status } = await readPool(cluster, name);
      const removal = status?.removal;
      if (removal === undefined) {
        terminal.out(`SwarmPool ${namespace}/${name} holds no removal: nothing is confirmed`);
        return exitCodes.no;
      }
      const { digest, message } = removal;
      const body = { metadata: { annotations: { [ANNOTATION_CONFIRM_REMOVAL]: digest } } };
      await cluster.api.patch(kinds.SwarmPool, { namespace, name }, { type: 'merge', body });
      terminal.out(`SwarmPool ${namespace}/${name}: ${message}: confirmed (${digest})`);
      return exitCodes.ok;
    }),
);
