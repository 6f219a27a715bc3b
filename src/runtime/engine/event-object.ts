// What does an Event look like to the API server?
import { randomBytes } from 'node:crypto';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { KubeObject, Ref } from '../../api/objects.ts';
import type { EventText } from '../../core/decision.ts';
import { microTimeText, timeText } from '../../core/text.ts';
import type { Series } from './event-series.ts';

const REPORTER = 'k8slab.info/swarm-operator';
/** Bytes of an event's message; Kubernetes refuses a longer one of its newer recorders. */
const LONGEST_MESSAGE = 1_024;
/** A name has at most 253 characters; our suffix takes 22. */
const LONGEST_NAME = 231;

/**
 * The names of an object's Events are in the order in which these happened, as with the recorders
 * of Kubernetes: a list of Events is in the order of names, and `kubectl describe` sorts it by
 * whole seconds.
 */
export function newEventRef({ regarding, began, number }: Series): Ref {
  const { name, namespace } = regarding;
  const order = hex(began.now, 12) + hex(number, 5);
  return {
    name: `${name.slice(0, LONGEST_NAME).replace(/[^a-z0-9]+$/, '')}.${order}${randomBytes(2).toString('hex')}`,
    ...(namespace !== undefined && { namespace }),
  };
}

/** The last `digits` of the number. */
const hex = (number: number, digits: number): string =>
  number.toString(16).padStart(digits, '0').slice(-digits);

export const eventObject = (
  metadata: Ref,
  { regarding, event, began }: Series,
  reportingInstance: string,
): KubeObject => ({
  apiVersion: apiVersionOf(kinds.Event),
  kind: 'Event',
  metadata,
  eventTime: microTimeText(began.now),
  firstTimestamp: timeText(began.now),
  lastTimestamp: timeText(began.now),
  count: 1,
  source: { component: REPORTER },
  reportingComponent: REPORTER,
  reportingInstance,
  action: event.action,
  reason: event.reason,
  involvedObject: regarding,
  message: event.message,
  type: event.type,
});

/**
 * Older readers take the count and the last time, newer ones the series. The admission policy
 * swarm-operator-events lets the operator change nothing else of its Events.
 */
export const eventCount = ({ count, last }: Series): object => ({
  count,
  lastTimestamp: timeText(last.now),
  series: { count, lastObservedTime: microTimeText(last.now) },
});

/** Cuts between characters; counts bytes, as the API does. */
export function shortened({ message, ...event }: EventText): EventText {
  if (Buffer.byteLength(message) <= LONGEST_MESSAGE) return { ...event, message };
  const room = new Uint8Array(LONGEST_MESSAGE - Buffer.byteLength('…'));
  const { read } = new TextEncoder().encodeInto(message, room);
  return { ...event, message: `${message.slice(0, read)}…` };
}
