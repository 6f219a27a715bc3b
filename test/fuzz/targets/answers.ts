// Fuzzed: the responses of the API server, or of a proxy before it, to each call of the client.
import { kinds } from '../../../src/api/kinds.ts';
import { isKubeObject } from '../../../src/api/objects.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { type CannedAnswer, CannedAnswers, configWith } from '../canned-answers.ts';
import { mustBeMessage } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

const LONGEST_WAIT_MS = 120_000;
/** The client may request each page that a response announces, and once more the whole list. */
const MOST_PAGES = 20;

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const answers = new CannedAnswers({
  status: 200,
  headers: {},
  body: bytes('{"metadata":{"resourceVersion":"9"},"items":[]}'),
});
const client = new KubeClient(configWith(answers), { requestTimeoutMs: 60_000 });

const ref = { namespace: 'n', name: 'a' };
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...ref, uid: 'u', resourceVersion: '1' },
};

const isObject = (value: unknown): boolean => isKubeObject(value);
const calls: Readonly<Record<string, () => Promise<boolean>>> = {
  get: async () => isObject(await client.get(kinds.ConfigMap, ref)),
  list: async () => {
    const { items, resourceVersion } = await client.list(kinds.Pod, 'n');
    return (
      typeof resourceVersion === 'string' &&
      items.every((item) => isObject(item) && item.kind === 'Pod')
    );
  },
  metadata: async () =>
    (await client.list({ ...kinds.ConfigMap, metadataOnly: true }, 'n')).items.every(isObject),
  version: async () => typeof (await client.version(kinds.Pod, undefined)) === 'string',
  serves: async () => typeof (await client.serves(kinds.SwarmPool)) === 'boolean',
  create: async () => isObject(await client.create(kinds.ConfigMap, object)),
  replace: async () => isObject(await client.replace(kinds.ConfigMap, object)),
  patch: async () =>
    isObject(await client.patch(kinds.ConfigMap, ref, { type: 'merge', body: {} })),
  apply: async () =>
    isObject(
      await client.patch(kinds.ConfigMap, ref, {
        type: 'apply',
        body: {},
        fieldManager: 'fuzz',
        force: true,
      }),
    ),
  try: async () => isObject(await client.create(kinds.ConfigMap, object, { isTrial: true })),
  delete: async () => (await client.delete(kinds.ConfigMap, ref)) === undefined,
  evict: async () => (await client.evict({ ...ref, uid: 'u' })) === undefined,
  watch: async () => {
    for await (const { object: seen } of client.watch(kinds.Pod, 'n', {
      resourceVersion: '1',
      timeoutSeconds: 60,
    }))
      if (typeof seen.metadata !== 'object') return false;
    return true;
  },
};

/**
 * An input is `get`, then for each response its status, the header Retry-After and the body.
 * Separated by NUL, which no header can contain.
 */
const BETWEEN = '\0';

function answerIn(text: string): CannedAnswer {
  const [first = '', second = '', ...rest] = text.split('\n');
  const status = Number(first);
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  const retryAfter = second.replace(/[^\x20-\x7e]/g, '');
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return {
    status: isStatus ? status : 200,
    headers: {
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      ...(retryAfter !== '' && { 'retry-after': retryAfter }),
    },
    body: bytes(hasBody ? rest.join('\n') : ''),
  };
}

async function check(input: string): Promise<string> {
  const [verb = '', ...parts] = input.split(BETWEEN);
  const call = calls[Object.hasOwn(calls, verb) ? verb : 'list'];
  if (call === undefined) return 'nothing';
  answers.begin(parts.map(answerIn));
  try {
    const isSound = await call();
    must(isSound, `${Object.hasOwn(calls, verb) ? verb : 'list'} answers what is none`);
    must(answers.asked <= MOST_PAGES + 2 * parts.length, 'it asks again and again', () =>
      String(answers.asked),
    );
    return `ok ${Object.hasOwn(calls, verb) ? verb : 'list'}`;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    mustBeMessage(error.message);
    const { retryAfterMs } = error;
    must(
      retryAfterMs === undefined || (retryAfterMs >= 0 && retryAfterMs <= LONGEST_WAIT_MS),
      'it would wait for longer than any answer may ask',
      () => String(retryAfterMs),
    );
    return `${error.code} ${outcomeOf(error.message)}`;
  }
}

const seed = (
  verb: string,
  ...parts: readonly (readonly [status: number, body: unknown, retryAfter?: string])[]
): string =>
  [
    verb,
    ...parts.map(
      ([status, body, retryAfter = '']) => `${status}\n${retryAfter}\n${JSON.stringify(body)}`,
    ),
  ].join(BETWEEN);
const status = (code: number, reason: string, more: object = {}): readonly [number, unknown] => [
  code,
  { kind: 'Status', status: 'Failure', code, reason, message: 'no', ...more },
];
const page = (next?: string): object => ({
  kind: 'PodList',
  metadata: { resourceVersion: '7', continue: next },
  items: [{ metadata: { name: 'a', resourceVersion: '5' } }],
});

export const apiAnswers: Target = {
  name: 'api answers',
  files: ['src/runtime/client/client.ts', 'src/runtime/client/errors.ts'],
  guides: ['src/runtime/client/watch-events.ts', 'src/api/objects.ts'],
  form: 'json',
  isBytes: true,
  seeds: [
    ...[400, 401, 404, 408, 410, 500, 504].map((code) => seed('get', status(code, 'No'))),
    ...Object.keys(calls).flatMap((verb) => [
      seed(verb, [200, object]),
      seed(verb, status(409, 'Conflict')),
    ]),
    seed('serves', status(404, 'NotFound')),
    seed('evict', status(429, 'TooManyRequests', { details: { retryAfterSeconds: 10 } })),
    seed('create', status(409, 'AlreadyExists')),
    seed('list', [200, page('x')], [200, page()]),
    seed('list', [200, page('x')], status(410, 'Expired'), [200, page()]),
    seed('get', [429, { message: 'slow down', details: { retryAfterSeconds: 3 } }, '5']),
    seed('get', [503, 'no', 'Thu, 01 Jan 2026 00:00:05 GMT']),
    seed(
      'create',
      status(403, 'Forbidden', { details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    ),
    seed(
      'patch',
      status(422, 'Invalid', { message: 'metadata.uid: Invalid value: field is immutable' }),
    ),
    seed('serves', [200, { resources: [{ name: 'swarmpools', verbs: ['create'] }] }]),
    `${seed('watch', [200, { type: 'ADDED', object }])}\n`,
  ],
  words: [
    ...Object.keys(calls).map((verb) => verb + BETWEEN),
    `${BETWEEN}200\n\n`,
    `${BETWEEN}410\n\n`,
    `${BETWEEN}500\n7\n`,
    '429\n5\n',
    'message',
    'reason',
    'details',
    'causes',
    'retryAfterSeconds',
    'items',
    'metadata',
    'resourceVersion',
    'continue',
    'resources',
    'verbs',
    'name',
    '1e999',
    'NaN',
  ],
  longest: 262_144,
  read: check,
  check,
};
