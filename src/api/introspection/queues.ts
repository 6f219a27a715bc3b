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
  resource: text('Its name, such as cpu.'),
  'quota?': text('How much the queue grants, as a quantity. Absent: it has no bound.'),
  'perUser?': text('How much of it the jobs of one user may have. Absent: as much as all.'),
  used: text('How much is in use.'),
  'free?': text('How much is free.'),
  'part?': number('The part of the quota that is in use; above 1 after the quota was lowered.'),
});

const summary = {
  namespace: text('Namespace of the queue.'),
  name: text('Its name.'),
  'strategy?': oneOf(['BestEffort', 'StrictFIFO'], 'Whether a job may pass one that waits.'),
  quota: list(resource, 'What the quota names, and what else is in use; pods first.'),
  admitted: whole('Jobs that are admitted.'),
  waiting: whole('Jobs that wait.'),
  neverStart: whole('Waiting jobs that never start as things are: a user has to change something.'),
  'firstNeverStart?': text('The name of one of them, and why. Absent: there is none.'),
  failed: whole('Jobs that have failed, and have not been deleted.'),
  'lastFailed?': text('The name of the one that failed last, and why. Absent: there is none.'),
  ranks: whole('Ranks of the admitted jobs.'),
  readyRanks: whole('How many of these run, or have ended well.'),
  isReady: yes('It admits jobs.'),
  isStalled: yes('The operator cannot continue until a user acts.'),
  isPaused: yes('It is paused.'),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const queue = object('A queue in brief.', summary);

const named = {
  kind: oneOf(['SwarmJob', 'Job'], 'Job: a batch Job that is queued by its label.'),
  name: text('Its name.'),
};

const ranks = object('How many ranks of the current attempt are in which state.', {
  running: whole('Its pod is ready.'),
  succeeded: whole('It has ended well.'),
  starting: whole('Its pod is not ready yet.'),
  failing: whole('Its pod has failed, or cannot start.'),
  ending: whole('Its pod is being deleted.'),
  missing: whole('It has no pod.'),
});

const admitted = object('A job that is admitted.', {
  ...named,
  size: whole('Its ranks.'),
  since: text('When it was admitted.'),
  state: text('Its state, as in its status.'),
  'message?': text('Why it is in that state.'),
  ranks,
  'endsBy?': text('When its deadline ends it. Absent: it has none, or it is over.'),
});

const waiting = object('A job that waits.', {
  'position?': whole('Its place in the queue, from 1. Absent: it never starts as things are.'),
  ...named,
  priority: whole('Its priority.'),
  size: whole('Its pods.'),
  reason: text('Why it waits, as one word.'),
  message: text('Why it waits, as a sentence with the numbers of this moment.'),
  'startsBy?': text(
    'When it starts at the latest, if nothing is submitted later and no job takes longer than its deadline. Absent: see noEstimate; with neither, it never starts as things are, or the queue is paused.',
  ),
  'noEstimate?': text('Why that is not known.'),
});

const failedJob = object('A job that has failed.', {
  ...named,
  reason: text('Why it failed, as one word.'),
  message: text('Why it failed, as a sentence.'),
  'time?': text('When it failed.'),
});

const held = object('A job that is over, and whose pods have not ended.', {
  name: text('Its name.'),
  pods: whole('How many of its pods.'),
  message: text('The first of them, and its node.'),
});

export const queueSchemas = {
  Queue: queue,
  QueueDetail: object('A queue at its last observation, and the last decision.', {
    ...summary,
    asOf: text('When it was observed.'),
    generation: whole('Generation of the spec.'),
    admittedJobs: first(
      admitted,
      'The admitted jobs, those that were admitted first before others.',
    ),
    waitingJobs: first(waiting, 'The waiting jobs in order.'),
    failedJobs: first(
      failedJob,
      'The jobs that have failed and have not been deleted, those that failed last first.',
    ),
    heldJobs: first(held, 'Jobs that are over and still use some of the quota, by name.'),
    conditions: list(condition, 'As in status.'),
    decision: object(
      'What the operator last decided about all queues of the namespace.',
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
export type AdmittedJob = Described<typeof admitted>;
export type FailedJob = Described<typeof failedJob>;
export type QueuedJob = Described<typeof waiting>;
export type QueueDetail = Described<typeof queueSchemas.QueueDetail>;
export type ShownQueues = Described<typeof queueSchemas.Queues>;
