// What limits the jobs of a namespace, and how is each limit named? Each limit has a unique name,
// and a text that users see.
import { oneLine } from '../../api/text.ts';

/** No queue or ResourceQuota can have this name. */
export const LEDGER = '(ledger)';
export const boundOfQueue = (name: string): string => `SwarmQueue ${name}`;
export const boundOfResourceQuota = (name: string): string => `ResourceQuota ${name}`;

/** The name of a queue has no comma; the name of a user may be any text. */
const OF_USER = ', user ';
export const boundOfUser = (queue: string, user: string): string =>
  `${boundOfQueue(queue)}${OF_USER}${user}`;

export const isOfUser = (bound: string): boolean => bound.includes(OF_USER);

/** The most characters of a user's name that a message shows. */
const LONGEST_USER = 80;

export function boundText(bound: string): string {
  const at = bound.indexOf(OF_USER);
  if (at < 0) return bound;
  const user = oneLine(bound.slice(at + OF_USER.length), LONGEST_USER);
  return `${bound.slice(0, at)}${OF_USER}${user === '' ? '(unknown)' : user}`;
}
