// How are the logs of all ranks followed until their job has ended? Each rank's log is read from
// when its container has started.
import { kinds } from '../../api/kinds.ts';
import type { ExactRef } from '../../api/objects.ts';
import { hasEnded } from '../../api/swarm-job.ts';
import { errorText } from '../../api/text.ts';
import { parseSwarmJob, type SwarmJob } from '../../api/validate.ts';
import { orNothing } from '../../runtime/client/errors.ts';
import { sleep, systemClock } from '../../runtime/clock.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { lookAtChanges } from '../cluster/changes.ts';
import type { Cluster } from '../cluster/connect.ts';
import { type LogOptions, logLines } from '../cluster/logs.ts';
import { Resumption } from '../cluster/resumption.ts';
import { type JobIdentity, podsSelector, type RankPod, rankPodOf, readRanks } from './ranks.ts';

type FollowedJob = {
  readonly job: JobIdentity;
  readonly container: string;
  readonly tail: number | undefined;
  /** Undefined: all. */
  readonly rank: number | undefined;
  readonly show: (rank: number, line: string) => void;
  readonly onJob: (job: SwarmJob) => void;
  /** How many ranks run, of all. */
  readonly onRanks: (running: number) => void;
};

/** How soon to read on after a connection broke. */
const AGAIN_MS = 1_000;
/** How long the logs of a job that has ended may take: a node that is lost sends no end. */
const LAST_LINES_MS = 10_000;

/** The job as it ended; undefined: it was deleted, or the user has `interrupted`. */
export async function followJob(
  cluster: Cluster,
  followed: FollowedJob,
  interrupted: AbortSignal,
  terminal: Terminal,
): Promise<SwarmJob | undefined> {
  const { api } = cluster;
  const { job, container, onJob } = followed;
  const { name, namespace, uid } = job;
  const watching = new AbortController();
  const reading = new AbortController();
  const readers = new Map<string, Promise<void>>();
  let ended: SwarmJob | undefined;
  interrupted.addEventListener('abort', () => {
    watching.abort();
    reading.abort();
  });
  if (interrupted.aborted) return undefined;
  const lookAtPods = async (): Promise<void> => {
    const all = await readRanks(api, job, container);
    followed.onRanks(all.filter((pod) => pod.container === 'running').length);
    for (const pod of all) {
      const isMeant = followed.rank === undefined || pod.rank === followed.rank;
      if (!isMeant || pod.container === 'waiting' || readers.has(pod.uid)) continue;
      readers.set(pod.uid, readLog(cluster, followed, pod, reading.signal, terminal));
    }
  };
  const lookAtJob = async (): Promise<void> => {
    const object = await orNothing(api.get(kinds.SwarmJob, { namespace, name }));
    const now = object && parseSwarmJob(object);
    if (now === undefined || now.meta.uid !== uid) return watching.abort();
    onJob(now);
    if (!hasEnded(now)) return;
    // Of ranks that were quick.
    await lookAtPods();
    ended = now;
    watching.abort();
  };
  const target = { kind: kinds.SwarmJob, namespace };
  const pods = { kind: kinds.Pod, namespace, selectors: podsSelector(name) };
  await Promise.all([
    lookAtChanges(
      api,
      { ...target, selectors: { fieldSelector: `metadata.name=${name}` } },
      lookAtJob,
      watching,
      terminal,
    ),
    lookAtChanges(api, pods, lookAtPods, watching, terminal),
  ]);
  const cancel = systemClock.after(LAST_LINES_MS, () => reading.abort());
  await Promise.all(readers.values());
  cancel();
  return ended;
}

/** To the end of the container: a connection that breaks before is made again. */
async function readLog(
  { api, config, namespace }: Cluster,
  { container, tail, show }: FollowedJob,
  { pod, uid, rank }: RankPod,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<void> {
  const options: LogOptions = { follow: true, tail, container, timestamps: true };
  const resumed = new Resumption();
  let told = '';
  for (; !signal.aborted; await sleep(systemClock, AGAIN_MS, signal)) {
    let problem = '';
    try {
      const how = { ...options, ...resumed.begin() };
      for await (const line of logLines(config, { namespace, name: pod }, how, signal)) {
        const text = resumed.take(line);
        if (text !== undefined) show(rank, text);
      }
    } catch (error) {
      problem = errorText(error);
    }
    const state = await stateNow(api, { namespace, name: pod, uid }, container);
    if (state === 'gone' || (state === 'ended' && problem === '')) return;
    if (!signal.aborted && problem !== '' && problem !== told) terminal.problem(problem);
    told = problem;
  }
}

/** Undefined: the API server does not say. */
async function stateNow(
  api: Cluster['api'],
  { uid, ...ref }: ExactRef,
  container: string,
): Promise<RankPod['container'] | 'gone' | undefined> {
  try {
    const pod = await orNothing(api.get(kinds.Pod, ref));
    return pod?.metadata.uid === uid ? rankPodOf(pod, container).container : 'gone';
  } catch {
    return undefined;
  }
}

/** "[2] ", as wide as that of the last rank. */
export const rankPrefix = (rank: number, size: number): string =>
  `[${String(rank).padStart(String(size - 1).length)}] `;
