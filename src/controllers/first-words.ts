// What version did each worker tell when it was first heard? It may know of publications that nothing else tells of any more.
import type { Answer } from '../core/pool/workers/members.ts';

/**
 * A worker that follows a version which was lost ignores all up to it; so its first word is believed, whatever the API tells (etcd may have
 * been restored from a snapshot). Only the first, for each pod: one that lies drives the version once.
 */
export class FirstWords {
  readonly #byKey = new Map<string, Map<string, number>>();

  /** The highest of those that are there. */
  highest(key: string, uids: readonly string[], answers: Readonly<Record<string, Answer>>): number {
    const before = this.#byKey.get(key);
    const now = new Map<string, number>();
    for (const uid of uids) {
      const first = before?.get(uid) ?? versionIn(answers[uid], uid);
      if (first !== undefined) now.set(uid, first);
    }
    this.#byKey.set(key, now);
    let highest = 0;
    for (const version of now.values()) highest = Math.max(highest, version);
    return highest;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

/** An address may have passed to another pod: only who names itself is believed. */
function versionIn(answer: Answer | undefined, uid: string): number | undefined {
  if (answer?.ok !== true || answer.report.podUid !== uid) return undefined;
  return Math.max(answer.report.version, answer.report.read ?? 0);
}
