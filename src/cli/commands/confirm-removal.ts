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
    summary: 'confirm a large removal of streams that the pool is holding',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `If the list of a pool loses all of its streams, or more than spec.removal.maxPercent, the pool keeps running them (LargeRemoval). This
command sets the annotation ${ANNOTATION_CONFIRM_REMOVAL} to the digest in status.removal, and thereby confirms the removal of exactly these
streams. If the list loses other streams in the meantime, the digest changes, and the pool keeps holding the removal.

${poolExitCodes}
1 means: the pool is not holding a removal.`,
    examples: [['swarmctl confirm-removal tv', 'the streams were removed on purpose']],
    flags: clusterFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const { namespace } = cluster;
      const { status } = await readPool(cluster, name);
      const removal = status?.removal;
      if (removal === undefined) {
        terminal.out(`SwarmPool ${namespace}/${name} is not holding a removal; nothing to confirm`);
        return exitCodes.no;
      }
      const { digest, message } = removal;
      const body = { metadata: { annotations: { [ANNOTATION_CONFIRM_REMOVAL]: digest } } };
      await cluster.api.patch(kinds.SwarmPool, { namespace, name }, { type: 'merge', body });
      terminal.out(`SwarmPool ${namespace}/${name}: ${message}; confirmed (${digest})`);
      return exitCodes.ok;
    }),
);
