// Which version did each worker report in its first answer? It may follow a publication of which no
// other record is left.
import type { ProbeAnswer } from '../../api/report.ts';

/**
 * A worker that follows a lost version ignores every version up to it. So the operator believes the
 * version in its first answer, whatever the API says (etcd may have been restored from a snapshot).
 * It believes only the first answer of each pod: a lie raises the version once.
 */
export class FirstVersions {
  readonly #byKey = new Map<string, Map<string, number>>();

  /** The highest first version of these pods. */
  highest(
    key: string,
    uids: readonly string[],
    answers: Readonly<Record<string, ProbeAnswer>>,
  ): number {
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

/** The address may belong to another pod now: an answer counts only if it names this pod's UID. */
function versionIn(answer: ProbeAnswer | undefined, uid: string): number | undefined {
  if (answer?.ok !== true || answer.report.podUid !== uid) return undefined;
  return Math.max(answer.report.version, answer.report.read ?? 0);
}
