// What can be asked, for programs and for people? Served as it stands here.
import { ref, type Schema, schemas } from '../../api/introspection.ts';
import { DEFAULT_LIMIT, MOST } from './page.ts';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
};

const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});
const inQuery = (
  name: string,
  description: string,
  schema: Schema = { type: 'string' },
): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

const ofPool = [inPath('namespace', 'Where the pool is.'), inPath('name', 'Its name.')];
const paging = [
  inQuery('limit', 'How many at most.', {
    type: 'integer',
    minimum: 1,
    maximum: MOST,
    default: DEFAULT_LIMIT,
  }),
  inQuery('after', 'The name behind which to begin; for pools, `namespace/name`.'),
];

const answers = (description: string, schema: string, errors: readonly number[]): object => ({
  200: { description, content: { 'application/json': { schema: ref(schema) } } },
  ...Object.fromEntries(
    errors.map((status) => [
      status,
      { description: 'Why not.', content: { 'application/json': { schema: ref('Error') } } },
    ]),
  ),
});

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
      'All its workers, each with its streams if these are few enough to be drawn.',
      ofPool,
      answers('All of it.', 'Board', [404]),
    ),
    [`${pool}/plan`]: get(
      'What another number of workers would bring. Nothing of it is done.',
      [
        ...ofPool,
        {
          ...inQuery('workers', 'How many there would be.', {
            type: 'integer',
            minimum: 0,
            maximum: 1_000,
          }),
          required: true,
        },
      ],
      answers('What would follow, by the operator’s own decision.', 'Plan', [400, 404, 409]),
    ),
    [`${pool}/streams/{stream}`]: get(
      'Why a stream is where it is, or nowhere.',
      [...ofPool, inPath('stream', 'Its name.')],
      answers('Where, and why.', 'Explanation', [404, 409]),
    ),
    [pool]: get(
      'One pool: what was seen, what was decided and why.',
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
      [...ofPool, inPath('worker', 'Its name.'), ...paging],
      answers('A part of them.', 'Streams', [400, 404]),
    ),
    [`${pool}/streams`]: get(
      'The streams of all workers and those of none, to search in.',
      [...ofPool, inQuery('contains', 'Only those whose name contains this text.'), ...paging],
      answers('A part of them.', 'Streams', [400, 404]),
    ),
    '/api/v1/stream': get('Changes as they happen, as server-sent events.', [], {
      200: {
        description:
          'Event `pool` has a Pool as its data, event `gone` a Gone. Ask for the pools once connected: what was before is not told. Who does not read is let go.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      503: {
        description: 'As many as may follow do so already.',
        content: { 'application/json': { schema: ref('Error') } },
      },
    }),
    '/api/v1/openapi.json': get('This description.', [], {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': {} } },
    }),
  },
  components: { schemas },
};
