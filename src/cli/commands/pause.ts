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
    summary: 'the pool moves nothing until it is resumed, and shows what it would do',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `Sets the annotation ${ANNOTATION_PAUSED}. Workers go on with what they have; \`swarmctl plan POOL\` shows what waits.

${poolExitCodes}`,
    examples: [['swarmctl pause tv', 'while you look what is wrong']],
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
    summary: 'ends a pause, or the suspension of streams',
    operands: { usage: 'POOL [STREAM...]', least: 1, most: MOST_STREAMS_AT_ONCE + 1 },
    about: `Takes the annotation ${ANNOTATION_PAUSED} away. What waited happens at once: \`swarmctl plan POOL\` shows it beforehand.
With streams: takes \`suspend\` away from these streams of spec.streams, and they run again where they were.

${poolExitCodes}
1 is: the pool is paused by its spec as well, where this changes nothing.`,
    examples: [
      ['swarmctl resume tv', 'go on'],
      ['swarmctl resume tv cctv0:updated', 'one that `swarmctl suspend` has suspended'],
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
        ? `SwarmPool ${namespace}/${name} stays paused: spec.paused is true; set it to false where the spec is kept`
        : `SwarmPool ${namespace}/${name} goes on`,
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
