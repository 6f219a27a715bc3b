// What does an event of a batch Job say about the creation of a rank's pod?
import type { ToldOfPod } from '../../runtime/store/creations.ts';

/** The message of an admission policy may list everything that it forbids. */
const LONGEST_TEXT = 1_000;

/** By rank. A webhook need not name the pod: its message counts for any rank. */
export function creationOfRank(reason: string, note: string): ToldOfPod | undefined {
  if (reason === 'SuccessfulCreate') {
    const [, rank] = /^Created pod: \S+-(\d+)-\w+$/.exec(note) ?? [];
    return rank === undefined ? undefined : { pod: rank, failure: undefined };
  }
  if (reason !== 'FailedCreate') return undefined;
  const text = note
    .replace(/^Error creating: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [named = '', rank] = /^pods "\S+-(\d+)-\w*" is /.exec(text) ?? [];
  // Omits the pod's name, which differs in each attempt of the Job controller.
  const failure =
    rank === undefined ? text : `the pod of rank ${rank} is ${text.slice(named.length)}`;
  return { pod: rank ?? '', failure: failure.slice(0, LONGEST_TEXT) };
}

/** The message about the first rank. A message without a rank comes first. */
export function firstFailure(failures: ReadonlyMap<string, string>): string | undefined {
  const [first] = [...failures].sort(([a], [b]) => Number(a) - Number(b));
  return first?.[1];
}
