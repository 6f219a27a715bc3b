// When have the pods of deleted jobs ended? Kubernetes deletes the batch Job of each, and then its
// pods.
import { LABEL_CONTROLLER_UID, parseJobPod } from '../../api/job-pod.ts';
import { kinds, metadataOf } from '../../api/kinds.ts';
import { controllerUid } from '../../api/objects.ts';
import { plural } from '../../core/text.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { Wait } from '../arguments/waiting.ts';
import type { MeantJob } from './meant.ts';

type Options = {
  readonly api: Pick<KubeApi, 'list'>;
  readonly namespace: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly terminal: Pick<Terminal, 'note'>;
};

/** Most pods end within a second or two; those with a long grace are asked about less often. */
const FIRST_PAUSE_MS = 250;
const GROWTH = 1.5;
const LONGEST_PAUSE_MS = 5_000;

/** Undefined: all of them have ended. Else why that is not known. */
export async function untilPodsEnded(
  jobs: readonly MeantJob[],
  { api, namespace, timeoutMs, clock, terminal }: Options,
): Promise<string | undefined> {
  const stopped = new AbortController();
  let problem = '';
  const onTimeout = (why: string): void => {
    problem = why;
    stopped.abort();
  };
  const wait = new Wait({ clock, note: terminal.note, timeoutMs, onTimeout });
  const whose = jobs.length === 1 ? jobs[0]?.what : plural(jobs.length, 'job');
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
      const left = await leftOf(jobs, api, namespace);
      if (left?.pods === 0 && left.batchJobs === 0) return undefined;
      wait.for(textOf(left, whose));
      await sleep(clock, pauseMs, stopped.signal);
      if (stopped.signal.aborted) return problem;
    }
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 'Forbidden') throw error;
    return `cannot see whether the pods have ended: ${error.message}`;
  } finally {
    wait.end();
  }
}

type Left = { readonly pods: number; readonly batchJobs: number };

/** Undefined: the API server does not answer at the moment. */
async function leftOf(
  jobs: readonly MeantJob[],
  api: Options['api'],
  namespace: string,
): Promise<Left | undefined> {
  const uids = new Set(jobs.map(({ ref }) => ref.uid));
  const isOf = (uid: string | undefined): boolean => uid !== undefined && uids.has(uid);
  try {
    // Jobs first: one that is gone makes no more pods.
    const batchJobs = await api.list(metadataOf(kinds.Job), namespace);
    const pods = await api.list(kinds.Pod, namespace, {
      labelSelector: LABEL_CONTROLLER_UID,
      fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    });
    return {
      batchJobs: batchJobs.items.filter(
        (job) => isOf(job.metadata.uid) || isOf(controllerUid(job, kinds.SwarmJob)),
      ).length,
      pods: pods.items
        .map(parseJobPod)
        .filter((pod) => !pod.hasEnded && (isOf(pod.swarmJobUid) || isOf(pod.jobUid))).length,
    };
  } catch (error) {
    if (error instanceof KubeError && error.verdict === 'retry') return undefined;
    throw error;
  }
}

function textOf(left: Left | undefined, whose = ''): string {
  if (left === undefined) return 'an answer of the API server';
  if (left.pods > 0) return `${plural(left.pods, 'pod')} of ${whose} to end`;
  return `Kubernetes to delete ${plural(left.batchJobs, 'batch Job')}`;
}
