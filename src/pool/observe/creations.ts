// What does an event of a StatefulSet say about the creation of a pod?
import type { ToldOfPod } from '../../runtime/store/creations.ts';

const LONGEST_TEXT = 256;

export function creationOfWorker(reason: string, note: string): ToldOfPod | undefined {
  const pod = /\bPod (\S+) in StatefulSet\b/.exec(note)?.[1];
  if (pod === undefined) return undefined;
  return { pod, failure: reason === 'FailedCreate' ? textOf(note) : undefined };
}

/** The API server's own message, without the controller's preamble. */
const textOf = (note: string): string =>
  note
    .replace(/^.*? failed error: /s, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
