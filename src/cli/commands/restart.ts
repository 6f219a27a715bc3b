// swarmctl restart: which streams end and start anew, where they are? An annotation asks for it,
// which a spec that is kept in Git does not undo.
import { kinds } from '../../api/kinds.ts';
import { hint } from '../../api/nearest.ts';
import type { SwarmPool } from '../../api/validate.ts';
import { isPausedBy } from '../../core/pause.ts';
import type { Values } from '../../flags.ts';
import { decidePool } from '../../pool/decide.ts';
import type { DesiredState } from '../../pool/desired-state.ts';
import { type ListedStream, listStreams } from '../../pool/plan/stream-list.ts';
import {
  ANNOTATION_RESTART,
  MOST_RESTARTS,
  readRestarts,
  restartText,
} from '../../pool/streams/restarts.ts';
import { isByReplacement } from '../../pool/workers/workers.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import { blockedText, type Terminal } from '../arguments/terminal.ts';
import { type Cluster, readPool, withCluster } from '../cluster/connect.ts';
import { observePool } from '../cluster/observe-pool.ts';

export const restart: Command = command(
  {
    name: 'restart',
    summary: 'restart streams in place',
    operands: { usage: 'POOL STREAM...', least: 2, most: MOST_RESTARTS + 1 },
    about: `Sets the annotation ${ANNOTATION_RESTART} to the current time for each stream. Its worker stops the process, starts it again, and
confirms that, even if it had given up on the stream (streamPolicy.maxRestarts) or the stream had completed. No stream moves, and no
other stream is interrupted. Exception: if workers read their streams only at startup (refresh.mode Restart, probe.type None), the
operator replaces the whole pod.

${poolExitCodes}
1 means: one of the streams is suspended or has no worker; nothing was restarted.`,
    examples: [
      [
        'swarmctl restart tv cctv0:updated',
        'its source is back, but the worker is still backing off',
      ],
    ],
    flags: clusterFlags,
  },
  ({ values, operands: [pool = '', ...names] }, terminal) =>
    ask(values, pool, names, terminal, (it) => whyNoRestart(it, pool)),
);

export const rerun: Command = command(
  {
    name: 'rerun',
    summary: 'run completed streams again',
    operands: { usage: 'POOL STREAM...', least: 2, most: MOST_RESTARTS + 1 },
    about: `For finite work (streamPolicy.completion Once): sets the annotation ${ANNOTATION_RESTART} to the current time for each stream. The
operator then drops the record that the stream completed, assigns it like a new stream, and records it again when it completes.

${poolExitCodes}
1 means: one of the streams has not completed, or is suspended; nothing was rerun.`,
    examples: [['swarmctl rerun nightly orders@2026-01-31', 'its backup was damaged']],
    flags: clusterFlags,
  },
  ({ values, operands: [pool = '', ...names] }, terminal) =>
    ask(values, pool, names, terminal, (it, { streams }) => whyNoRerun(it, streams, pool)),
);

/** Of all of them or, if something is in the way of one, of none. */
const ask = (
  values: Values<typeof clusterFlags>,
  pool: string,
  names: readonly string[],
  terminal: Terminal,
  whyNot: (stream: ListedStream, desired: DesiredState) => string | undefined,
): Promise<number> =>
  withCluster(values, async (cluster) => {
    const world = await observePool(cluster.api, cluster.namespace, pool, { probes: false });
    const now = Date.now();
    const { basis } = decidePool(world, now);
    if (!basis.ok) throw new CommandError(blockedText(basis.blocked));
    const { desired } = basis;
    const listed = new Map(listStreams(world, desired, now).map((it) => [it.stream, it]));
    const wanted = [...new Set(names)].map((name) => {
      const found = listed.get(name);
      if (found !== undefined) return found;
      throw new CommandError(`SwarmPool ${pool} has no stream ${name}${hint(name, listed.keys())}`);
    });
    const refusals = wanted.flatMap((it) => whyNot(it, desired) ?? []);
    if (refusals.length > 0) {
      terminal.problem(refusals.join('\n'));
      return exitCodes.no;
    }
    await annotate(cluster, pool, wanted, new Set(listed.keys()));
    const then = afterwards(world.pool, desired);
    for (const { stream, worker } of wanted) {
      const what = worker === undefined ? 'runs again' : `restarts on ${worker}`;
      terminal.out(`stream ${stream} of SwarmPool ${cluster.namespace}/${pool} ${what}${then}`);
    }
    return exitCodes.ok;
  });

function whyNoRestart(
  { stream, state, worker, message }: ListedStream,
  pool: string,
): string | undefined {
  if (state === 'Suspended')
    return `stream ${stream} is suspended; \`swarmctl resume ${pool} ${stream}\` starts it`;
  if (worker !== undefined) return undefined;
  if (state === 'Completed')
    return `stream ${stream} has completed; \`swarmctl rerun ${pool} ${stream}\` runs it again`;
  return `stream ${stream} has no worker${message === undefined ? '' : `: ${message}`}`;
}

function whyNoRerun(
  { stream, state }: ListedStream,
  streams: DesiredState['streams'],
  pool: string,
): string | undefined {
  if (state !== 'Completed') return `stream ${stream} has not completed; it is ${state}`;
  return streams.find(({ name }) => name === stream)?.isSuspended === true
    ? `stream ${stream} has completed, but is suspended; run \`swarmctl resume ${pool} ${stream}\` first`
    : undefined;
}

function afterwards(pool: SwarmPool, { spec }: DesiredState): string {
  if (isPausedBy(pool.meta, spec)) return ' when the pool is resumed';
  return isByReplacement(spec) ? ', with all streams of its pod, which the operator replaces' : '';
}

const MOST_ATTEMPTS = 5;

/** Other requests stay, of streams that are still there. Another writer's are not lost. */
async function annotate(
  cluster: Cluster,
  name: string,
  wanted: readonly ListedStream[],
  listed: ReadonlySet<string>,
): Promise<void> {
  const { api, namespace } = cluster;
  const now = new Date().toISOString();
  for (let attempt = 1; ; attempt += 1) {
    const { uid, resourceVersion, annotations } = (await readPool(cluster, name)).meta;
    const tokens = new Map(
      [...readRestarts(annotations[ANNOTATION_RESTART]).tokens].filter(([it]) => listed.has(it)),
    );
    for (const { stream } of wanted) {
      // The last come last: when there are too many, the first go.
      tokens.delete(stream);
      tokens.set(stream, now);
    }
    const text = restartText(new Map([...tokens].slice(-MOST_RESTARTS)));
    const body = {
      metadata: { uid, resourceVersion, annotations: { [ANNOTATION_RESTART]: text } },
    };
    try {
      await api.patch(kinds.SwarmPool, { namespace, name }, { type: 'merge', body });
      return;
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
