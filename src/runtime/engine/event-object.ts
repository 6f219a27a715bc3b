// What does an Event look like to the API server?
import { randomBytes } from 'node:crypto';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { KubeObject, Ref } from '../../api/objects.ts';
import type { EventText, Regarding } from '../../core/decision.ts';
import { microTimeText } from '../../core/text.ts';
import type { Series } from './event-series.ts';

/** Bytes of an event's note; the API server refuses a longer one. */
const LONGEST_NOTE = 1_024;
/** A name has at most 253 characters; our suffix takes 13. */
const LONGEST_NAME = 240;

export const newEventRef = ({ name, namespace }: Regarding): Ref => ({
  name: `${name.slice(0, LONGEST_NAME).replace(/[^a-z0-9]+$/, '')}.${randomBytes(6).toString('hex')}`,
  ...(namespace !== undefined && { namespace }),
});

export const eventObject = (
  metadata: Ref,
  { regarding, event, began }: Series,
  reportingInstance: string,
): KubeObject => ({
  apiVersion: apiVersionOf(kinds.Event),
  kind: 'Event',
  metadata,
  eventTime: microTimeText(began.now),
  reportingController: 'k8slab.info/swarm-operator',
  reportingInstance,
  action: event.action,
  reason: event.reason,
  regarding,
  note: event.message,
  type: event.type,
});

/** Only this of an Event can be changed, and its metadata. */
export const eventCount = ({ count, last }: Series): object => ({
  series: { count, lastObservedTime: microTimeText(last.now) },
});

/** Cuts between characters; counts bytes, as the API does. */
export function shortened({ message, ...event }: EventText): EventText {
  if (Buffer.byteLength(message) <= LONGEST_NOTE) return { ...event, message };
  const room = new Uint8Array(LONGEST_NOTE - Buffer.byteLength('…'));
  const { read } = new TextEncoder().encodeInto(message, room);
  return { ...event, message: `${message.slice(0, read)}…` };
}
