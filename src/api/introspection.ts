// What does introspection answer? The schemas of all answers, and the fields of pools.
import { condition, decided, refusal } from './introspection/decided.ts';
import { groupSchemas } from './introspection/groups.ts';
import { queueSchemas } from './introspection/queues.ts';
import {
  type Described,
  type Fields,
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
} from './introspection/schema.ts';
import { streamStates } from './reported-streams.ts';

const summary = {
  namespace: text('Namespace of the pool.'),
  name: text('Its name.'),
  version: whole('Version of the current assignment.'),
  'streams?': whole('Streams in the list. Absent: the list cannot be read.'),
  unassigned: whole('Streams without a worker.'),
  'failing?': whole('Failing streams, as their workers report. Absent: no worker reports it.'),
  down: whole('Number of streams that do not run because their worker is down.'),
  'firstDown?': text(
    'A worker that is down for a cause that Kubernetes names, and the cause. Absent: there is none.',
  ),
  'failingNames?': list(
    text('Name of a stream.'),
    'The three streams that have failed longest. Absent: none fails.',
  ),
  suspended: whole('Suspended streams: they keep their worker, but do not run.'),
  'isComplete?': yes(
    'No stream is left to run: each has completed, or failed for good. Absent: the work is not finite.',
  ),
  'completed?': whole('Completed streams, as their workers report.'),
  withoutOwner: whole('Assigned streams that no worker reports as running.'),
  doubled: whole('Streams that more than one worker reports as running.'),
  desired: whole('Workers that the target should have.'),
  ready: whole('Workers whose pod is Ready.'),
  converged: whole('Workers that have confirmed their streams.'),
  required: whole('Workers that would be enough.'),
  stuck: whole('Workers that have not confirmed in time.'),
  isConverged: yes('Every desired worker has confirmed its streams.'),
  isStalled: yes('The operator cannot continue until a user acts.'),
  isPaused: yes('The pool is paused.'),
  isExclusive: yes('No stream may have two owners.'),
  target: text('The workload whose pods are the workers.'),
  'scaling?': oneOf(
    ['Follow', 'Lead', 'Auto'],
    'What sets the number of workers: the target itself (Follow), spec.workers.replicas (Lead), or the streams (Auto).',
  ),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const pool = object('A pool in brief.', summary);

const failing = object('A failing stream, as its worker reports it.', {
  name: text('Its name.'),
  worker: text('The worker that runs it.'),
  state: text('Restarting; or Failed: the worker has given up.'),
  'restarts?': whole('Number of restarts since it last ran well.'),
  'since?': text('When the stream started to fail.'),
  'message?': text('Its last error, without values of its parameters.'),
});

const down = object('A worker that is down, with its streams.', {
  name: text('Its name.'),
  streams: whole('Number of its streams, which do not run.'),
  why: text('State of its pod, and the cause that Kubernetes reports.'),
  hasCause: yes('Kubernetes names a cause: it does not only restart.'),
  takeover: text('The rule by which other workers take over, as a sentence.'),
  'takeoverTime?': text('When they do if it stays down. Absent: they do not as things are.'),
});

const change = object('As in status.', {
  version: whole('The published version.'),
  moves: whole('Streams that moved to another worker.'),
  reason: text('The cause.'),
  publishTime: text('When it was published.'),
  'convergenceTime?': text('When every worker had confirmed.'),
});

const move = object('A stream that moves to another worker.', {
  stream: text('Its name.'),
  'from?': text('Absent: the stream is new.'),
  'to?': text('Absent: the stream was removed, or does not fit on any worker.'),
  reason: text('The cause.'),
});

const unassigned = object('A stream without a worker.', { name: text('Its name.'), ...refusal });

const publication = object('A new publication.', {
  version: whole('Its version.'),
  reason: text('The cause.'),
  moves: first(move, 'Streams that move to another worker.'),
});

const decision = object('What the operator last decided.', {
  ...decided('nothing is to be written now'),
  'change?': publication,
  'plan?': first(move, 'While paused: the moves that the operator would make.'),
});

const worker = {
  name: text('Name of its pod, or `slot N`.'),
  'slot?': whole("Slot of a Deployment's worker."),
  state: oneOf(['Pending', 'Refreshing', 'Releasing', 'Converged', 'Stuck', 'Missing', 'Cordoned']),
  'message?': text('Why it is in that state.'),
  'isDown?': yes('It has streams, and cannot run them. Absent: it is not down.'),
  isReady: yes('Its pod is Ready.'),
  streams: whole('Number of its assigned streams.'),
  releasing: whole('Streams that it must release, but has not confirmed yet.'),
  'failing?': whole('Its failing streams, as it reports. Absent: none.'),
  load: number('Sum of the weights of its streams.'),
  capacity: number('Its capacity.'),
  'version?': whole('Version at which its streams last changed.'),
  'reportedVersion?': whole('Version that it last reported.'),
  'awaited?': object('What the operator is waiting for.', {
    version: whole('The version that it must confirm.'),
    seconds: number('How long the operator has been waiting, at the last observation.'),
  }),
};

/** Omitted for streams that simply run, which keeps the answer for a healthy pool short. */
const health = {
  'state?': oneOf(
    [...streamStates.filter((state) => state !== 'Running'), 'Down'],
    'Its state, as its worker reports; Down: its worker is down. Absent: it is running normally, or its state is unknown.',
  ),
  'restarts?': whole('Number of restarts since it last ran well. Absent: none.'),
  'since?': text('Since when it is in that state.'),
  'message?': text('Its last error, without values of its parameters.'),
};

const stream = {
  name: text('Its name.'),
  weight: number('Its weight.'),
  'isRunning?': yes('Its worker reports it as running. Absent: the worker has not reported.'),
  ...health,
};

const assignedStream = object('One of its streams.', stream);
const shownStream = object('A stream and its worker. Its parameters are not shown.', {
  ...stream,
  worker: text('Name of its worker; empty: no worker has the stream.'),
});

const shownWorker = object('A worker, and what the operator is waiting for.', worker);
const boardWorker = object('A worker and its streams.', {
  ...worker,
  'assigned?': list(
    assignedStream,
    'Its streams, by name. At most a hundred streams of all workers have a message. Absent if isNamed is false.',
  ),
  'leaving?': list(
    text('Name of a stream.'),
    'Streams that it must release, but has not confirmed yet.',
  ),
});

const share = object('Streams and load of a worker. Absent: the worker does not exist.', {
  streams: whole('Number of its streams.'),
  load: number('Sum of their weights.'),
});

const workerPlan = object('A worker, now and then.', {
  name: text('Its name.'),
  'before?': share,
  'after?': share,
});

const movePlan = object('A stream that would move.', {
  stream: text('Its name.'),
  'from?': text('Absent: no worker has it now.'),
  'to?': text('Absent: no worker would have it.'),
  why: text('The reason, as a sentence.'),
});

export const schemas = {
  Pool: pool,
  PoolDetail: object('A pool at its last observation, and the last decision.', {
    ...summary,
    asOf: text('When it was observed.'),
    generation: whole('Generation of the spec.'),
    conditions: list(condition, 'As in status.'),
    history: list(change, 'The last changes, newest first.'),
    unassignedStreams: first(unassigned, 'Streams without a worker, and why.'),
    downWorkers: first(down, 'Workers that are down, in the order of ordinals or slots.'),
    failingStreams: first(
      failing,
      'Failing streams as in status, those that have failed longest first.',
    ),
    decision,
  }),
  Worker: shownWorker,
  Stream: shownStream,
  Board: object('A whole pool at once.', {
    asOf: text('When it was observed.'),
    version: whole('The highest version of its workers.'),
    capacity: number('Capacity of each worker.'),
    streams: whole('Streams that are assigned.'),
    isNamed: yes(
      'The streams are listed by name. If false, there are too many: request the streams of one worker.',
    ),
    workers: first(boardWorker, 'In the order of ordinals or slots.', {
      part: 'The first 500 of them.',
    }),
    'lastChange?': publication,
  }),
  Plan: object('The changes that would follow, if every step succeeds.', {
    asOf: text('When the pool was observed.'),
    now: whole('Workers that the target should have now.'),
    supposed: whole('The assumed number of workers.'),
    streams: whole('Streams in the list.'),
    capacity: number('Capacity of each worker.'),
    changes: whole('Changes that would be published.'),
    workers: first(workerPlan, 'Streams and load of each worker, now and then.', {
      total: 'The number of workers, including those that would be removed.',
      part: 'In the order of ordinals or slots; those that would be removed come last.',
    }),
    moves: first(movePlan, 'Each from its current to its final worker.'),
    moved: whole('Streams that would move from one worker to another.'),
    started: whole('Streams without a worker that would get one.'),
    ended: whole('Streams that would lose their worker.'),
    stay: whole('Streams that would keep their worker.'),
    unassigned: first(unassigned, 'Streams that would have no worker, and why.'),
    required: whole('Workers that would be enough.'),
    isOvercommitted: yes('At least one worker would exceed its capacity.'),
    isComplete: yes('False: more changes would follow.'),
    notes: list(text('A sentence.'), 'Further remarks.'),
  }),
  Explanation: object('Why a stream is on its worker, or has none.', {
    stream: text('Its name.'),
    state: oneOf(
      ['Confirmed', 'Assigned', 'Down', 'Moving', 'Nowhere', 'Completed', 'Unlisted'],
      'Its worker reports it as running; its worker has not confirmed it yet; its worker is down; it is moving to another worker; it has no worker; it has completed; it is not in the list.',
    ),
    'worker?': text('The worker that it is assigned to.'),
    'next?': text('The worker that will get it.'),
    because: list(text('A sentence.'), 'The reasons.'),
  }),
  Gone: object('A pool, group or queue that was deleted, or that another replica reconciles now.', {
    namespace: text('Its namespace.'),
    name: text('Its name.'),
  }),
  Error: object('An error.', { error: text('The message.') }),
  Pools: object(page, {
    leading: yes('False: only the leader knows pools, and this replica is not the leader.'),
    ...pageOf<Pool>('Pool'),
  }),
  Workers: object(page, pageOf<Worker>('Worker')),
  Streams: object(page, pageOf<ShownStream>('Stream')),
  ...groupSchemas,
  ...queueSchemas,
} satisfies Fields;

export type Pool = Described<typeof pool>;
export type PoolDetail = Described<typeof schemas.PoolDetail>;
export type ShownPools = Described<typeof schemas.Pools>;
export type LastChange = Described<typeof publication>;
export type ShownUnassigned = Described<typeof unassigned>;
export type Worker = Described<typeof shownWorker>;
export type WorkerState = Worker['state'];
export type AssignedStream = Described<typeof assignedStream>;
export type ShownStream = Described<typeof shownStream>;
export type BoardWorker = Described<typeof boardWorker>;
export type ShownBoard = Described<typeof schemas.Board>;
export type Share = Described<typeof share>;
export type WorkerPlan = Described<typeof workerPlan>;
export type MovePlan = Described<typeof movePlan>;
export type Plan = Described<typeof schemas.Plan>;
export type Explanation = Described<typeof schemas.Explanation>;
