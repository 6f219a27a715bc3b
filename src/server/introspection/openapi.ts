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
  parameter('path', 'namespace', 'Where the pool is.'),
  parameter('path', 'name', 'Its name.'),
];
const ofGroup = [
  parameter('path', 'namespace', 'Where the group is.'),
  parameter('path', 'name', 'Its name.'),
];
const paging = [
  parameter('query', 'limit', 'How many at most.', {
    type: 'integer',
    minimum: 1,
    maximum: MOST,
    default: DEFAULT_LIMIT,
  }),
  parameter(
    'query',
    'after',
    'The name behind which to begin; for pools and groups, `namespace/name`.',
  ),
];

const json = (description: string, schema: string): object => ({
  description,
  content: { 'application/json': { schema: ref(schema) } },
});

const answers = (description: string, schema: string, errors: readonly number[]): object => ({
  200: json(description, schema),
  ...Object.fromEntries(errors.map((status) => [status, json('Why not.', 'Error')])),
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
      'What the operator sees and decides. Read-only, on the loopback of its pod; no secret and no parameter of a stream is shown.',
  },
  paths: {
    '/api/v1/pools': get('All pools in short.', paging, answers('A part of them.', 'Pools', [400])),
    [`${pool}/board`]: get(
      'All its workers, each with its streams if those are few enough to be drawn.',
      ofPool,
      answers('All of it.', 'Board', [404]),
    ),
    [`${pool}/plan`]: get(
      'What another number of workers would bring. Nothing is changed.',
      [
        ...ofPool,
        {
          ...parameter('query', 'workers', 'How many there would be.', {
            type: 'integer',
            minimum: 0,
            maximum: 1_000,
          }),
          required: true,
        },
      ],
      answers('What would follow, as the operator would decide.', 'Plan', [400, 404, 409]),
    ),
    [`${pool}/streams/{stream}`]: get(
      'Why a stream is where it is, or nowhere.',
      [...ofPool, parameter('path', 'stream', 'Its name.')],
      answers('Where, and why.', 'Explanation', [404, 409]),
    ),
    [pool]: get(
      'One pool: what was observed, what was decided and why.',
      ofPool,
      answers('The pool.', 'PoolDetail', [404]),
    ),
    [`${pool}/workers`]: get(
      'Its workers, and what is awaited of them.',
      [...ofPool, ...paging],
      answers('A part of them.', 'Workers', [400, 404]),
    ),
    [`${pool}/workers/{worker}/streams`]: get(
      'The streams of one worker.',
      [...ofPool, parameter('path', 'worker', 'Its name.'), ...paging],
      answers('A part of them.', 'Streams', [400, 404]),
    ),
    [`${pool}/streams`]: get(
      'The streams of all workers and those without one, to search in.',
      [
        ...ofPool,
        parameter('query', 'contains', 'Only those whose name contains this text.'),
        ...paging,
      ],
      answers('A part of them.', 'Streams', [400, 404]),
    ),
    '/api/v1/groups': get(
      'All groups in short.',
      paging,
      answers('A part of them.', 'Groups', [400]),
    ),
    '/api/v1/groups/{namespace}/{name}': get(
      'One group: its members, the transition under way or the last one, what was decided and why.',
      ofGroup,
      answers('The group.', 'GroupDetail', [404]),
    ),
    '/api/v1/stream': get('Changes as they happen, as server-sent events.', [], {
      200: {
        description:
          'Event `pool` has a Pool as its data, event `gone` a Gone; of groups, `group` has a Group, and `group-gone` a Gone. Ask for pools and groups once connected: earlier changes are not sent. A client that does not read is disconnected.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      503: json('Too many clients follow already.', 'Error'),
    }),
    '/api/v1/openapi.json': get('This description.', [], {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': {} } },
    }),
  },
  components: { schemas },
};
