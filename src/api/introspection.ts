// What does introspection answer? The schemas of all answers, with what it tells of pools.
import { condition, decided, refusal } from './introspection/decided.ts';
import { groupSchemas } from './introspection/groups.ts';
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
  namespace: text('Where the pool is.'),
  name: text('Its name.'),
  version: whole('Version of the assignment in force.'),
  'streams?': whole('Streams in the list. Left out: it cannot be read.'),
  unassigned: whole('Streams without a worker.'),
  'failing?': whole('Streams that fail, as their workers tell; left out: no worker tells.'),
  suspended: whole('Streams that keep their worker and do not run.'),
  'completed?': whole('Streams whose work is done, as their workers tell.'),
  withoutOwner: whole('Published streams that no worker reports to run.'),
  doubled: whole('Streams that more than one worker reports to run.'),
  desired: whole('Workers that the target desires.'),
  ready: whole('Workers whose pod is Ready.'),
  converged: whole('Workers that confirmed what they were assigned.'),
  required: whole('Workers that would be enough.'),
  stuck: whole('Workers that have not confirmed in time.'),
  isConverged: yes('Every desired worker confirmed.'),
  isStalled: yes('Nothing will happen until a user changes something.'),
  isPaused: yes('Nothing is touched.'),
  isExclusive: yes('No stream may have two owners.'),
  target: text('The workload whose pods are the workers.'),
  'scaling?': oneOf(
    ['Follow', 'Lead', 'Auto'],
    'What decides how many workers there are: the target, the pool by its spec, or the pool by its streams.',
  ),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const pool = object('A pool in short.', summary);

const failing = object('A stream that fails, and what its worker tells of it.', {
  name: text('Its name.'),
  worker: text('The worker that runs it.'),
  state: text('Restarting, or Failed: it is not started again.'),
  'restarts?': whole('How often it was started again since it was last well.'),
  'since?': text('Since when it fails.'),
  'message?': text('Its last words, without what stands in its parameters.'),
});

const change = object('As in status.', {
  version: whole('Version that it published.'),
  moves: whole('Streams that changed their worker.'),
  reason: text('What brought it about.'),
  publishTime: text('When it was written.'),
  'convergenceTime?': text('When every worker had confirmed.'),
});

const move = object('A stream that changes its worker.', {
  stream: text('Its name.'),
  'from?': text('Left out: it is new.'),
  'to?': text('Left out: it is gone, or finds no room.'),
  reason: text('What brought it about.'),
});

const unassigned = object('A stream without a worker.', { name: text('Its name.'), ...refusal });

const publication = object('A new publication.', {
  version: whole('Its version.'),
  reason: text('What brought it about.'),
  moves: first(move, 'Streams that change their worker.'),
});

const decision = object('What the operator last decided.', {
  ...decided('all is as it should be, or workers have to act first'),
  'change?': publication,
  'plan?': first(move, 'While paused: the moves that would follow.'),
});

const worker = {
  name: text('Name of its pod, or `slot N`.'),
  'slot?': whole("Slot of a Deployment's worker."),
  state: oneOf(['Pending', 'Refreshing', 'Releasing', 'Converged', 'Stuck', 'Missing', 'Cordoned']),
  'message?': text('Why it is in that state.'),
  isReady: yes('Its pod is Ready.'),
  streams: whole('Streams that it is assigned.'),
  releasing: whole('Streams that it is to release, and has not confirmed yet.'),
  'failing?': whole('Streams of it that fail, as it tells. Left out: none.'),
  load: number('Sum of the weights of its streams.'),
  capacity: number('What it can carry.'),
  'version?': whole('Version at which its streams last changed.'),
  'reportedVersion?': whole('Version that it reports.'),
  'awaited?': object('What it has not confirmed.', {
    version: whole('Version that it is to confirm.'),
    seconds: number('For how long, when it was last observed.'),
  }),
};

/** Of the others nothing is said: a pool whose streams all run has no longer answer for it. */
const health = {
  'state?': oneOf(
    streamStates.filter((state) => state !== 'Running'),
    'How it is, as its worker tells. Left out: it simply runs, or nothing is known.',
  ),
  'restarts?': whole('How often it was started again since it was last well. Left out: never.'),
  'since?': text('Since when it is in that state.'),
  'message?': text('Its last words, without what stands in its parameters.'),
};

const stream = {
  name: text('Its name.'),
  weight: number('What is reserved for it.'),
  'isRunning?': yes('Its worker reports that it runs it. Left out: the worker has not reported.'),
  ...health,
};

const assignedStream = object('One of its streams.', stream);
const shownStream = object(
  'A stream and its worker. What it was given as parameters is not shown.',
  { ...stream, worker: text('Name of its worker; empty: no worker has the stream.') },
);

const shownWorker = object('A worker, and what is awaited of it.', worker);
const boardWorker = object('A worker and its streams.', {
  ...worker,
  'assigned?': list(
    assignedStream,
    'By name; of all workers, a hundred streams have their last words. Left out if streams are not named.',
  ),
  'leaving?': list(text('Name of a stream.'), 'What it is to release, and has not confirmed yet.'),
});

const share = object('What a worker carries; left out: it is not there.', {
  streams: whole('Number of its streams.'),
  load: number('Sum of their weights.'),
});

const workerPlan = object('One of them.', {
  name: text('Its name.'),
  'before?': share,
  'after?': share,
});

const movePlan = object('A stream that would change its worker.', {
  stream: text('Its name.'),
  'from?': text('Left out: no worker has it now.'),
  'to?': text('Left out: no worker would have it.'),
  why: text('In a sentence.'),
});

export const schemas = {
  Pool: pool,
  PoolDetail: object('A pool as it was last observed, and what was decided.', {
    ...summary,
    asOf: text('When it was observed.'),
    generation: whole('Generation of the spec.'),
    conditions: list(condition, 'As in status.'),
    history: list(change, 'The last changes, the newest first.'),
    unassignedStreams: first(unassigned, 'Streams without a worker, and why.'),
    failingStreams: first(failing, 'Streams that fail, the longest first, as status has them.'),
    decision,
  }),
  Worker: shownWorker,
  Stream: shownStream,
  Board: object('A whole pool at once.', {
    asOf: text('When it was observed.'),
    version: whole('The highest version of its workers.'),
    capacity: number('Capacity of each worker.'),
    streams: whole('Streams that are assigned.'),
    isNamed: yes('Each stream is named. If not, they are too many: ask for those of one worker.'),
    workers: first(boardWorker, 'In the order of ordinals or slots.', {
      part: 'The first 500 of them.',
    }),
    'lastChange?': publication,
  }),
  Plan: object('What would follow, if all goes well.', {
    asOf: text('When the pool was observed.'),
    now: whole('Workers that are desired now.'),
    supposed: whole('Workers that there would be.'),
    streams: whole('Streams in the list.'),
    capacity: number('Capacity of each worker.'),
    changes: whole('Changes that would be published.'),
    workers: first(workerPlan, 'What each would carry.', {
      total: 'How many there are, with those that go.',
      part: 'In their order, those that go last.',
    }),
    moves: first(movePlan, 'Each from where it is to where it ends.'),
    moved: whole('Streams that would pass from one worker to another.'),
    started: whole('Streams that would come to their first worker.'),
    ended: whole('Streams that would be left with none.'),
    stay: whole('Streams that would keep their worker.'),
    unassigned: first(unassigned, 'Streams that would have no worker, and why.'),
    required: whole('Workers that would be enough.'),
    isOvercommitted: yes('Some worker would carry more than its capacity.'),
    isComplete: yes('False: more would follow.'),
    notes: list(text('In a sentence.'), 'What else has to be known.'),
  }),
  Explanation: object('Why a stream is where it is, or nowhere.', {
    stream: text('Its name.'),
    state: oneOf(
      ['Confirmed', 'Assigned', 'Moving', 'Nowhere', 'Completed', 'Unlisted'],
      'Its worker says that it runs it; it has not confirmed yet; it is on its way to another; no worker has it; its work is done; the list does not name it.',
    ),
    'worker?': text('The worker that has it, as published.'),
    'next?': text('The worker that is to have it.'),
    because: list(text('In a sentence.'), 'Why.'),
  }),
  Gone: object('A pool or group that was deleted, or that another replica decides on now.', {
    namespace: text('Where it was.'),
    name: text('Its name.'),
  }),
  Error: object('Why there is no such answer.', { error: text('In a sentence.') }),
  Pools: object(page, {
    leading: yes('False: this replica knows no pools, the one that leads does.'),
    ...pageOf<Pool>('Pool'),
  }),
  Workers: object(page, pageOf<Worker>('Worker')),
  Streams: object(page, pageOf<ShownStream>('Stream')),
  ...groupSchemas,
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
