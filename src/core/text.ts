// How are times, lists and counts written in messages?

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Such a text names the second in which something happened: this is the end of it. */
export const latestMs = (time: string): number => Date.parse(time) + 1_000;

/** With the six decimals that Leases and Events need: the API server takes nothing less. */
export const microTimeText = (ms: number): string =>
  new Date(ms).toISOString().replace('Z', '000Z');

/** At most `max` names, and how many more there are: "a, b, c and 12 more". */
export function listed(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}

export const plural = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : 's'}`;
