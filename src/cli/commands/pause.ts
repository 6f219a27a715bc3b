// swarmctl pause and resume: may the pool move streams? Kept in an annotation, because a change of
// the spec would be undone where the spec is kept in Git. Of streams, resume ends a suspension.
import { kinds } from '../../api/kinds.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import { type ClusterValues, readPool, withCluster } from '../cluster/connect.ts';
import { MOST_STREAMS_AT_ONCE, setSuspended } from './suspend.ts';

export const pause: Command = command(
  {
    name: 'pause',
    summary: 'stop a pool from moving streams until it is resumed',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `Sets the annotation ${ANNOTATION_PAUSED}. Workers keep running their streams; \`swarmctl plan POOL\` shows the pending changes.

${poolExitCodes}`,
    examples: [['swarmctl pause tv', 'while you investigate a problem']],
    flags: clusterFlags,
  },
  async ({ values, operands: [name = ''] }, terminal) => {
    const { namespace } = await annotate(values, name, 'true');
    terminal.out(`SwarmPool ${namespace}/${name} is paused`);
    return exitCodes.ok;
  },
);

export const resume: Command = command(
  {
    name: 'resume',
    summary: 'resume a paused pool, or suspended streams',
    operands: { usage: 'POOL [STREAM...]', least: 1, most: MOST_STREAMS_AT_ONCE + 1 },
    about: `Removes the annotation ${ANNOTATION_PAUSED}. The pending changes happen at once: \`swarmctl plan POOL\` shows them beforehand.
With streams: removes \`suspend\` from these streams in spec.streams; they run again on the same workers.

${poolExitCodes}
1 means: the pool stays paused, because spec.paused is true; this command does not change the spec.`,
    examples: [
      ['swarmctl resume tv', 'one pool'],
      ['swarmctl resume tv cctv0:updated', 'a stream that `swarmctl suspend` suspended'],
    ],
    flags: clusterFlags,
  },
  async ({ values, operands: [name = '', ...streams] }, terminal) => {
    if (streams.length > 0) {
      await withCluster(values, (cluster) => setSuspended(cluster, name, streams, false, terminal));
      return exitCodes.ok;
    }
    const { namespace, isPausedBySpec } = await annotate(values, name, null);
    terminal.out(
      isPausedBySpec
        ? `SwarmPool ${namespace}/${name} stays paused: spec.paused is true; set it to false in the manifest`
        : `SwarmPool ${namespace}/${name} is resumed`,
    );
    return isPausedBySpec ? exitCodes.no : exitCodes.ok;
  },
);

const annotate = (
  values: ClusterValues,
  name: string,
  value: 'true' | null,
): Promise<{ namespace: string; isPausedBySpec: boolean }> =>
  withCluster(values, async (cluster) => {
    const { namespace } = cluster;
    const { spec } = await readPool(cluster, name);
    const body = { metadata: { annotations: { [ANNOTATION_PAUSED]: value } } };
    await cluster.api.patch(kinds.SwarmPool, { namespace, name }, { type: 'merge', body });
    return { namespace, isPausedBySpec: spec.ok && spec.value.paused };
  });
