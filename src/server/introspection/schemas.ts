// What do answers look like? JSON Schema, as OpenAPI 3.1 takes it; a test holds it against what is
// really answered.

export type Schema = Readonly<Record<string, unknown>>;

const text = (description: string): Schema => ({ type: 'string', description });
const number = (description: string): Schema => ({ type: 'number', minimum: 0, description });
const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const yes = (description: string): Schema => ({ type: 'boolean', description });
const list = (items: Schema, description: string): Schema => ({
  type: 'array',
  items,
  description,
});

/** A name that ends with a question mark may be missing; what is not named here is never there. */
function object(description: string, fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields).map(
    ([name, schema]) => [name.replace(/\?$/, ''), schema] as const,
  );
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(entries),
    required,
    additionalProperties: false,
  };
}

const first = (items: Schema, description: string): Schema =>
  object(description, {
    total: whole('How many there are.'),
    first: list(items, 'The first 100 of them.'),
  });

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const page = (name: string, more: Readonly<Record<string, Schema>> = {}): Schema =>
  object('A part of a list, in the order of names.', {
    ...more,
    total: whole('How many there are in all.'),
    items: list(ref(name), 'At most `limit` of them.'),
    'next?': text('Given as `after`, the next part begins behind it. Left out: there is no more.'),
  });

const summary = {
  namespace: text('Where the pool is.'),
  name: text('Its name.'),
  version: whole('Of the assignment that is in force.'),
  streams: whole('In the list.'),
  unassigned: whole('Streams without a worker.'),
  withoutOwner: whole('Streams that are published, and of which no worker says that it runs them.'),
  doubled: whole('Streams of which more than one worker says so.'),
  desired: whole('Workers that the target desires.'),
  ready: whole('Workers whose pod is Ready.'),
  converged: whole('Workers that confirmed what they were assigned.'),
  required: whole('Workers that would be enough.'),
  stuck: whole('Workers that have not confirmed in time.'),
  isConverged: yes('Every desired worker confirmed.'),
  isStalled: yes('Nothing will happen until somebody changes something.'),
  isPaused: yes('Nothing is touched.'),
  isExclusive: yes('No stream may have two owners.'),
  target: text('Whose pods the workers are.'),
  'scaling?': {
    type: 'string',
    enum: ['Follow', 'Lead'],
    description: 'Who decides how many workers there are: the target, or the pool.',
  },
  reason: text('Of the condition Stalled, if that is true, and else of Ready.'),
  message: text('Of the same.'),
};

const condition = object('As in status.', {
  type: text('What it is about.'),
  status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
  reason: text('In one word.'),
  message: text('In a sentence.'),
  'observedGeneration?': whole('The generation of the spec that it speaks of.'),
  lastTransitionTime: text('When the status last changed.'),
});

const change = object('As in status.', {
  version: whole('That it made.'),
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

const unassigned = object('A stream without a worker.', {
  name: text('Its name.'),
  reason: text('In one word.'),
  message: text('In a sentence.'),
});

const step = object('A write; what is written is not shown.', {
  do: {
    type: 'string',
    enum: ['create', 'patch', 'annotate', 'delete', 'scale', 'evict', 'status', 'event'],
  },
  kind: text('Of what.'),
  name: text('Of which.'),
  'about?': text('To how many replicas; or the event.'),
});

const publication = object('A new publication.', {
  version: whole('Of it.'),
  reason: text('What brought it about.'),
  moves: first(move, 'Streams that change their worker.'),
});

const decision = object('What the operator decided when it last looked.', {
  steps: first(
    step,
    'What it began to carry out; none: all is as it should be, or others have to act first.',
  ),
  'change?': publication,
  'plan?': first(move, 'While paused: the moves that would follow.'),
  'obstacle?': object('What stands in the way.', {
    reason: text('In one word.'),
    message: text('In a sentence.'),
  }),
  'requeueAfterSeconds?': number('When it will look again, if nothing changes before.'),
});

const worker = {
  name: text('Its pod; or `slot N`.'),
  'slot?': whole("Of a Deployment's worker."),
  state: {
    type: 'string',
    enum: ['Pending', 'Refreshing', 'Releasing', 'Converged', 'Stuck', 'Missing', 'Cordoned'],
  },
  'message?': text('Why it is in that state.'),
  isReady: yes('Its pod is.'),
  streams: whole('That it is assigned.'),
  releasing: whole('That it is to let go, and has not confirmed yet.'),
  load: number('The sum of their weights.'),
  capacity: number('What it can carry.'),
  'version?': whole('At which its streams last changed.'),
  'reportedVersion?': whole('That it says it runs.'),
  'awaited?': object('What it has not confirmed.', {
    version: whole('That it is to confirm.'),
    seconds: number('For how long that had been so when it was last looked at.'),
  }),
};

const stream = {
  name: text('Its name.'),
  weight: number('What is reserved for it.'),
  'isRunning?': yes('By its worker. Left out: it has not said.'),
};

const share = object('What a worker carries; left out: it is not there.', {
  streams: whole('So many.'),
  load: number('The sum of their weights.'),
});

export const schemas: Readonly<Record<string, Schema>> = {
  Pool: object('A pool in short.', summary),
  PoolDetail: object('A pool as it was last seen, and what was decided.', {
    ...summary,
    asOf: text('When that was.'),
    generation: whole('Of the spec.'),
    conditions: list(condition, 'As they are told in status.'),
    history: list(change, 'The last changes, the newest first.'),
    unassignedStreams: first(unassigned, 'Streams without a worker, and why.'),
    decision,
  }),
  Worker: object('A worker, and what is awaited of it.', worker),
  Stream: object('A stream and its worker. What it was given as parameters is not shown.', {
    ...stream,
    worker: text('Whose it is; empty: nobody’s.'),
  }),
  Board: object('A whole pool at once.', {
    asOf: text('When it was looked at.'),
    version: whole('The highest of its workers.'),
    capacity: number('Of each worker.'),
    streams: whole('That are assigned.'),
    isNamed: yes('Each stream is named. If not, they are too many: ask for those of one worker.'),
    workers: object('In the order of ordinals or slots.', {
      total: whole('How many there are.'),
      first: list(
        object('A worker and its streams.', {
          ...worker,
          'assigned?': list(
            object('One of its streams.', stream),
            'By name. Left out if streams are not named.',
          ),
          'leaving?': list(
            text('Of a stream.'),
            'What it is to let go, and has not confirmed yet.',
          ),
        }),
        'The first 500 of them.',
      ),
    }),
    'lastChange?': publication,
  }),
  Plan: object('What would follow, if all goes well.', {
    asOf: text('From what was seen then.'),
    now: whole('Workers that there are to be now.'),
    supposed: whole('Workers that there would be.'),
    streams: whole('In the list.'),
    capacity: number('Of each worker.'),
    changes: whole('Publications that it would take.'),
    workers: object('What each would carry.', {
      total: whole('How many there are, with those that go.'),
      first: list(
        object('One of them.', { name: text('Its name.'), 'before?': share, 'after?': share }),
        'In their order, those that go last.',
      ),
    }),
    moves: first(
      object('A stream that would change its worker.', {
        stream: text('Its name.'),
        'from?': text('Left out: nobody has it now.'),
        'to?': text('Left out: nobody would have it.'),
        why: text('In a sentence.'),
      }),
      'Each from where it is to where it ends.',
    ),
    moved: whole('Streams that would pass from one worker to another.'),
    started: whole('Streams that would come to their first worker.'),
    ended: whole('Streams that would be left with none.'),
    stay: whole('Streams that would keep their worker.'),
    unassigned: first(unassigned, 'Streams that nobody would have, and why.'),
    required: whole('Workers that would be enough.'),
    isOvercommitted: yes('Some worker would carry more than its capacity.'),
    isComplete: yes('False: more would follow.'),
    notes: list(text('In a sentence.'), 'What else has to be known.'),
  }),
  Explanation: object('Why a stream is where it is, or nowhere.', {
    stream: text('Its name.'),
    state: {
      type: 'string',
      enum: ['Confirmed', 'Assigned', 'Moving', 'Nowhere', 'Unlisted'],
      description:
        'Its worker says that it runs it; it has not confirmed yet; it is on its way to another; nobody has it; nobody knows of it.',
    },
    'worker?': text('Who has it, by what is published.'),
    'next?': text('Who is to have it.'),
    because: list(text('In a sentence.'), 'Why.'),
  }),
  Gone: object('A pool that has gone, or that another replica sees to now.', {
    namespace: text('Where it was.'),
    name: text('Its name.'),
  }),
  Error: object('Why there is no such answer.', { error: text('In a sentence.') }),
  Pools: page('Pool', {
    leading: yes('False: this replica knows no pools, the one that leads does.'),
  }),
  Workers: page('Worker'),
  Streams: page('Stream'),
};
