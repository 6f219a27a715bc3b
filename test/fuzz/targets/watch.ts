// Fuzzed: the body of a watch, cut into chunks at any byte.
import { textDigest } from '../../../src/api/assignment.ts';
import type { WatchEvent } from '../../../src/runtime/client/api.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { watchEvents } from '../../../src/runtime/client/watch-events.ts';
import { Random } from '../../sim/random.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

type Read = { readonly events: readonly WatchEvent[]; readonly error: KubeError | undefined };

const LONGEST_WAIT_MS = 120_000;

async function read(chunks: readonly Uint8Array[]): Promise<Read> {
  const events: WatchEvent[] = [];
  try {
    for await (const event of watchEvents(arriving(chunks))) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { events, error };
  }
}

async function* arriving(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/**
 * Into up to eight chunks, the same for the same input: the outcome must depend on the input alone.
 */
function cut(body: Uint8Array): readonly Uint8Array[] {
  const random = new Random(
    Number.parseInt(textDigest(Buffer.from(body).toString('latin1')).slice(0, 8), 16),
  );
  const places = Array.from({ length: random.between(1, 7) }, () =>
    random.between(0, body.length),
  ).sort((a, b) => a - b);
  return [...places, body.length].map((to, index) => body.subarray(places[index - 1] ?? 0, to));
}

async function check(input: string): Promise<string> {
  const body = Buffer.from(input, 'latin1');
  const whole = await read([body]);
  const pieces = await read(cut(body));
  mustBeSame(pieces.events, whole.events, 'in pieces it has other events');
  mustBeSame(pieces.error?.message, whole.error?.message, 'in pieces it fails in another way');
  for (const { type, object } of whole.events) {
    const { name, resourceVersion } = object.metadata;
    must(
      typeof name === 'string' &&
        typeof object.kind === 'string' &&
        typeof object.apiVersion === 'string',
      'an event has no object',
    );
    must(
      resourceVersion === undefined || typeof resourceVersion === 'string',
      'a resource version is no text',
    );
    must(type !== 'BOOKMARK' || resourceVersion !== undefined, 'a bookmark has no version');
  }
  const { error } = whole;
  if (error === undefined) return `ok ${Math.min(3, whole.events.length)}`;
  mustBeMessage(error.message);
  const { retryAfterMs } = error;
  must(
    retryAfterMs === undefined || (retryAfterMs >= 0 && retryAfterMs <= LONGEST_WAIT_MS),
    'it would wait for longer than any answer may ask',
    () => String(retryAfterMs),
  );
  return `${error.code} ${outcomeOf(error.message)}`;
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'ünï', namespace: 'n', uid: 'u', resourceVersion: '7' },
};
const line = (value: unknown): string =>
  `${Buffer.from(JSON.stringify(value), 'utf8').toString('latin1')}\n`;

export const watch: Target = {
  name: 'watch',
  files: ['src/runtime/client/watch-events.ts'],
  guides: ['src/runtime/client/errors.ts', 'src/api/objects.ts'],
  form: 'json',
  isBytes: true,
  seeds: [
    line({ type: 'ADDED', object: pod }) + line({ type: 'DELETED', object: pod }),
    line({ type: 'MODIFIED', object: pod }),
    line({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '9' } } }),
    line({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: 'too old resource version',
        details: { retryAfterSeconds: 1 },
      },
    }),
    line({
      type: 'ERROR',
      object: { code: 429, message: 'slow down', details: { retryAfterSeconds: 5 } },
    }),
    `\n${line({ type: 'ADDED', object: pod })}  \r\n`,
  ],
  large: () => [
    line({ type: 'ADDED', object: { ...pod, data: 'ü'.repeat(400_000) } }),
    line({ type: 'ADDED', object: pod }).repeat(8_000),
    '['.repeat(1_000_000),
    '\n'.repeat(1_000_000),
  ],
  words: [
    'type',
    'object',
    'ADDED',
    'MODIFIED',
    'DELETED',
    'BOOKMARK',
    'ERROR',
    'metadata',
    'resourceVersion',
    'name',
    'code',
    'reason',
    'message',
    'details',
    'retryAfterSeconds',
    '\n',
    '"type":"ERROR"',
    '"code":410',
    'metadata.uid: field is immutable',
  ],
  longest: 1_048_576,
  read: (input) => read([Buffer.from(input, 'latin1')]),
  check,
};
