// Which fields does introspection show of queues and their jobs?
import { condition, decided } from './decided.ts';
import {
  type Described,
  first,
  list,
  number,
  object,
  oneOf,
  page,
  pageOf,
  text,
  whole,
  yes,
} from './schema.ts';

const resource = object('A resource.', {
  resource: text('Name of the resource, such as cpu.'),
  'quota?': text('Amount that the queue grants, as a quantity. Absent: there is no limit.'),
  'perUser?': text('Amount that the jobs of one user may use. Absent: the whole quota.'),
  used: text('Amount in use.'),
  'free?': text('Free amount.'),
  'part?': number('The part of the quota that is in use; above 1 after the quota was lowered.'),
});

const summary = {
  namespace: text('Namespace of the queue.'),
  name: text('Name of the queue.'),
  'strategy?': oneOf(['BestEffort', 'StrictFIFO'], 'Whether a job may pass a waiting job.'),
  quota: list(resource, 'Resources that the quota names, and all others in use; pods first.'),
  admitted: whole('Number of admitted jobs.'),
  waiting: whole('Number of waiting jobs.'),
  neverStart: whole('Number of waiting jobs that cannot start unless a user changes something.'),
  'firstNeverStart?': text('Name of such a job, and the reason. Absent: there is none.'),
  failed: whole('Number of failed jobs that still exist.'),
  'lastFailed?': text('Name of the job that failed last, and the reason. Absent: there is none.'),
  ranks: whole('Number of ranks of the admitted jobs.'),
  readyRanks: whole('Number of these ranks that run, or have succeeded.'),
  isReady: yes('The queue admits jobs.'),
  isStalled: yes('The operator cannot continue until a user acts.'),
  isPaused: yes('The queue is paused.'),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const queue = object('A queue in brief.', summary);

const named = {
  kind: oneOf(['SwarmJob', 'Job'], 'Job: a batch Job that is queued by its label.'),
  name: text('Name of the job.'),
};

const ranks = object('Number of ranks of the current attempt in each state.', {
  running: whole('Ranks that run: their pod is ready, and they do not wait for the others.'),
  succeeded: whole('Ranks that have succeeded.'),
  starting: whole('Ranks whose pod is not ready yet, or that wait for the others.'),
  failing: whole('Ranks whose pod has failed, or cannot start.'),
  ending: whole('Ranks whose pod is being deleted.'),
  missing: whole('Ranks without a pod.'),
});

const rankTile = object('A rank, or successive ranks: the worst of them.', {
  state: oneOf(
    ['Missing', 'Pending', 'Stuck', 'Waiting', 'Running', 'Succeeded', 'Failed', 'Ending'],
    'Missing: has no pod. Stuck: cannot start. Waiting: for the other ranks, to start together.',
  ),
  'message?': text('Why it cannot start, in the word of Kubernetes, or its exit code.'),
  rank: whole('The first rank in that state.'),
  count: whole('Number of the ranks in that state.'),
});

const rankTiles = object('The ranks in order. Absent: a batch Job.', {
  ranksEach: whole('Number of ranks of each tile; the last tile may have fewer.'),
  hasLeader: yes('Rank 0 leads the others.'),
  tiles: list(rankTile, 'From rank 0.'),
});

const admitted = object('An admitted job.', {
  ...named,
  size: whole('Number of its ranks.'),
  since: text('When the job was admitted.'),
  state: text('State of the job, as in its status.'),
  'message?': text('Why the job is in that state.'),
  ranks,
  'rankTiles?': rankTiles,
  'endsBy?': text(
    'When the deadline ends the job. Absent: there is no deadline, or the job is over.',
  ),
});

const waiting = object('A waiting job.', {
  'position?': whole(
    'Place in the queue, from 1. Absent: the job cannot start unless a user changes something.',
  ),
  ...named,
  priority: whole('Priority of the job.'),
  size: whole('Number of its pods.'),
  reason: text('Why the job waits, as one word.'),
  message: text('Why the job waits, as a sentence with current numbers.'),
  'startsBy?': text(
    'Latest start of the job, if no other job is submitted and no job takes longer than its deadline. Absent: see noEstimate; if both are absent, the job cannot start unless a user changes something, or the queue is paused.',
  ),
  'noEstimate?': text('Why the latest start is not known.'),
});

const failedJob = object('A failed job.', {
  ...named,
  reason: text('Why the job failed, as one word.'),
  message: text('Why the job failed, as a sentence.'),
  'time?': text('When the job failed.'),
});

const held = object('A job that is over, and whose pods have not ended.', {
  name: text('Name of the job.'),
  pods: whole('Number of these pods.'),
  message: text('The first of these pods, and its node.'),
});

export const queueSchemas = {
  Queue: queue,
  QueueDetail: object('A queue at its last observation, and the last decision.', {
    ...summary,
    asOf: text('When the queue was observed.'),
    generation: whole('Generation of the spec.'),
    admittedJobs: first(admitted, 'The admitted jobs, in the order of their admission.'),
    waitingJobs: first(waiting, 'The waiting jobs in order.'),
    failedJobs: first(failedJob, 'The failed jobs that still exist, the last failed first.'),
    heldJobs: first(held, 'Jobs that are over and still use some of the quota, by name.'),
    conditions: list(condition, 'As in status.'),
    decision: object(
      'The last decision about all queues of the namespace.',
      decided('nothing is to be written now'),
    ),
  }),
  Queues: object(page, {
    leading: yes('False: only the leader knows queues, and this replica is not the leader.'),
    ...pageOf<QueueSummary>('Queue'),
  }),
};

export type QueueSummary = Described<typeof queue>;
export type QueueResource = Described<typeof resource>;
export type Ranks = Described<typeof ranks>;
export type RankTile = Described<typeof rankTile>;
export type RankTiles = Described<typeof rankTiles>;
export type AdmittedJob = Described<typeof admitted>;
export type FailedJob = Described<typeof failedJob>;
export type QueuedJob = Described<typeof waiting>;
export type QueueDetail = Described<typeof queueSchemas.QueueDetail>;
export type ShownQueues = Described<typeof queueSchemas.Queues>;
