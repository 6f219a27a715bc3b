// How are times, lists and counts written in messages?

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The end of the second that such a text names. */
export const latestMs = (time: string): number => Date.parse(time) + 1_000;

/** With the six decimals that the API server requires in Leases and Events. */
export const microTimeText = (ms: number): string =>
  new Date(ms).toISOString().replace('Z', '000Z');

/** At most `max` names, and the number of others: "a, b, c and 12 more". */
export function listed(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}

export const plural = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : 's'}`;
