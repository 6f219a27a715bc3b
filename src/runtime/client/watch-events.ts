// How does the body of a watch become events?
import {
  asNumber,
  asString,
  dig,
  isKubeObject,
  isRecord,
  type ObjectMeta,
} from '../../api/objects.ts';
import type { WatchEvent, WatchEventType } from './api.ts';
import { codeOf, KubeError, waitMs } from './errors.ts';

const types: ReadonlySet<string> = new Set<WatchEventType>([
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
]);
const isEventType = (type: string): type is WatchEventType => types.has(type);

/**
 * One JSON object a line. A line that is not one, and an end in the middle of one, are errors: what
 * was missed is fetched again.
 */
export async function* watchEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  const decoder = new TextDecoder();
  // The parts of an unfinished line are joined once, at its end: a large object arrives in many
  // chunks.
  let parts: string[] = [];
  for await (const chunk of body) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    for (const end of lines.slice(0, -1)) {
      const line = parts.join('') + end;
      parts = [];
      if (line.trim() !== '') yield eventOf(line);
    }
    parts.push(lines[lines.length - 1] ?? '');
  }
  if (parts.join('').trim() !== '')
    throw new KubeError('BadAnswer', 'the watch ended in the middle of an event');
}

/** A bookmark's object has a resource version and nothing else. */
function bookmarkOf(object: unknown): ObjectMeta | undefined {
  const resourceVersion = asString(dig(object, 'metadata', 'resourceVersion'));
  return resourceVersion === undefined ? undefined : { name: '', resourceVersion };
}

function eventOf(line: string): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch (error) {
    throw new KubeError(
      'BadAnswer',
      `the watch sent a line that is not JSON: ${line.slice(0, 80)}`,
      { cause: error },
    );
  }
  const type = asString(dig(event, 'type'));
  const object = isRecord(event) ? event['object'] : undefined;
  if (type === 'ERROR') {
    const message = asString(dig(object, 'message')) ?? 'the watch sent an error';
    const status = asNumber(dig(object, 'code')) ?? 500;
    const seconds = asNumber(dig(object, 'details', 'retryAfterSeconds'));
    throw new KubeError(codeOf(status, asString(dig(object, 'reason')) ?? '', message), message, {
      status,
      retryAfterMs: seconds === undefined ? undefined : waitMs(seconds * 1000),
    });
  }
  const metadata =
    type === 'BOOKMARK' ? bookmarkOf(object) : isKubeObject(object) ? object.metadata : undefined;
  if (type === undefined || !isEventType(type) || !isRecord(object) || metadata === undefined) {
    throw new KubeError('BadAnswer', `the watch sent an invalid event: ${line.slice(0, 80)}`);
  }
  return {
    type,
    object: {
      ...object,
      apiVersion: asString(object['apiVersion']) ?? '',
      kind: asString(object['kind']) ?? '',
      metadata,
    },
  };
}
