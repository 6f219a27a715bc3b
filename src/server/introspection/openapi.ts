// What can be asked? The description that the operator serves, in the form of OpenAPI.
import { ref, type Schema } from '../../api/introspection/schema.ts';
import { schemas } from '../../api/introspection.ts';
import { DEFAULT_LIMIT, MOST } from './page.ts';

const parameter = (
  where: 'path' | 'query',
  name: string,
  description: string,
  schema: Schema = { type: 'string' },
) => ({ name, in: where, required: where === 'path', description, schema });

const ofPool = [
  parameter('path', 'namespace', 'Namespace of the pool.'),
  parameter('path', 'name', 'Its name.'),
];
const ofGroup = [
  parameter('path', 'namespace', 'Namespace of the group.'),
  parameter('path', 'name', 'Its name.'),
];
const ofQueue = [
  parameter('path', 'namespace', 'Namespace of the queue.'),
  parameter('path', 'name', 'Its name.'),
];
const paging = [
  parameter('query', 'limit', 'Largest number of items.', {
    type: 'integer',
    minimum: 1,
    maximum: MOST,
    default: DEFAULT_LIMIT,
  }),
  parameter(
    'query',
    'after',
    'Begin after this name; for pools, groups and queues, `namespace/name`.',
  ),
];

const json = (description: string, schema: string): object => ({
  description,
  content: { 'application/json': { schema: ref(schema) } },
});

const answers = (description: string, schema: string, errors: readonly number[]): object => ({
  200: json(description, schema),
  ...Object.fromEntries(errors.map((status) => [status, json('The error.', 'Error')])),
});

type Parameter = ReturnType<typeof parameter>;
const get = (summary: string, parameters: readonly Parameter[], responses: object): object => ({
  get: { summary, parameters, responses },
});

const pool = '/api/v1/pools/{namespace}/{name}';

export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Swarm Operator, introspection',
    version: 'v1',
    description:
      'What the operator observes and decides. Read-only, on the loopback address of its pod; shows no secrets and no parameters of streams.',
  },
  paths: {
    '/api/v1/pools': get(
      'All pools in brief.',
      paging,
      answers('One page of them.', 'Pools', [400]),
    ),
    [`${pool}/board`]: get(
      'All workers of a pool, each with its streams if there are few enough.',
      ofPool,
      answers('The board.', 'Board', [404]),
    ),
    [`${pool}/plan`]: get(
      'What would change with another number of workers. A dry run.',
      [
        ...ofPool,
        {
          ...parameter('query', 'workers', 'The assumed number of workers.', {
            type: 'integer',
            minimum: 0,
            maximum: 1_000,
          }),
          required: true,
        },
      ],
      answers('The changes that the operator would make.', 'Plan', [400, 404, 409]),
    ),
    [`${pool}/streams/{stream}`]: get(
      'Why a stream is on its worker, or has none.',
      [...ofPool, parameter('path', 'stream', 'Its name.')],
      answers('Its worker, and the reasons.', 'Explanation', [404, 409]),
    ),
    [pool]: get(
      'One pool: the last observation, and the last decision with its reason.',
      ofPool,
      answers('The pool.', 'PoolDetail', [404]),
    ),
    [`${pool}/workers`]: get(
      'The workers of a pool, and what the operator is waiting for.',
      [...ofPool, ...paging],
      answers('One page of them.', 'Workers', [400, 404]),
    ),
    [`${pool}/workers/{worker}/streams`]: get(
      'The streams of one worker.',
      [...ofPool, parameter('path', 'worker', 'Its name.'), ...paging],
      answers('One page of them.', 'Streams', [400, 404]),
    ),
    [`${pool}/streams`]: get(
      'All streams of a pool, also those without a worker.',
      [
        ...ofPool,
        parameter('query', 'contains', 'Only streams whose name contains this text.'),
        ...paging,
      ],
      answers('One page of them.', 'Streams', [400, 404]),
    ),
    '/api/v1/groups': get(
      'All groups in brief.',
      paging,
      answers('One page of them.', 'Groups', [400]),
    ),
    '/api/v1/groups/{namespace}/{name}': get(
      'One group: its members, the current or last transition, and the last decision with its reason.',
      ofGroup,
      answers('The group.', 'GroupDetail', [404]),
    ),
    '/api/v1/queues': get(
      'All queues in brief.',
      paging,
      answers('One page of them.', 'Queues', [400]),
    ),
    '/api/v1/queues/{namespace}/{name}': get(
      'One queue: its quota, the jobs that are admitted, and those that wait, each with its position, reason and estimated start.',
      ofQueue,
      answers('The queue.', 'QueueDetail', [404]),
    ),
    '/api/v1/stream': get('Changes as they happen, as server-sent events.', [], {
      200: {
        description:
          'The data of the events `pool`, `group` and `queue` is a Pool, a Group or a Queue; the data of `gone`, `group-gone` and `queue-gone` is a Gone. Request all of them after you have connected: earlier changes are not sent. The operator disconnects a client that does not read.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      503: json('Too many clients are connected.', 'Error'),
    }),
    '/api/v1/openapi.json': get('This description.', [], {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': {} } },
    }),
  },
  components: { schemas },
};
