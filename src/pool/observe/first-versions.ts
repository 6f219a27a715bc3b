// Which version did each worker report in its first answer?
import type { ProbeAnswer } from '../../api/report.ts';

/**
 * A worker that follows a lost version ignores every version up to it. So the operator believes the
 * version in its first answer, whatever the API says (etcd may have been restored from a snapshot).
 * It believes only the first answer of each pod: a lie raises the version once.
 */
export function firstVersions(
  before: ReadonlyMap<string, number>,
  uids: readonly string[],
  answers: Readonly<Record<string, ProbeAnswer>>,
): ReadonlyMap<string, number> {
  return new Map(
    uids.flatMap((uid) => {
      const first = before.get(uid) ?? versionIn(answers[uid], uid);
      return first === undefined ? [] : [[uid, first] as const];
    }),
  );
}

/** The address may belong to another pod now: an answer counts only if it names this pod's UID. */
function versionIn(answer: ProbeAnswer | undefined, uid: string): number | undefined {
  if (answer?.ok !== true || answer.report.podUid !== uid) return undefined;
  return Math.max(answer.report.version, answer.report.read ?? 0);
}
