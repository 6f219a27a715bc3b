// Which versions are known of a pool, besides its publication? The highest by the notes on its
// ConfigMaps, with how many completed streams it recorded, and those of its workers' first answers.
import { type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import { LABEL_POOL } from '../labels.ts';
import { changeOf } from '../publish/notes.ts';
import { isBelieved } from '../publish/versions.ts';

/** Of so many deleted pools the version is kept, should etcd be restored to when they existed. */
const MOST_DELETED = 1_000;

type KnownPool = { readonly uid: string; readonly statusVersion: number };

type Noted = { readonly version: number; readonly completed?: number | undefined };

/** The highest version ever published for each pool. */
export class NotedVersions {
  readonly #highest = new Map<string, Noted>();
  /** By UID of a deleted pool: a new pool of its name is another one. */
  readonly #deleted = new Map<string, number>();
  readonly #uids = new Map<string, string>();
  readonly #poolOf: (pool: Ref) => KnownPool | undefined;

  constructor(poolOf: (pool: Ref) => KnownPool | undefined) {
    this.#poolOf = poolOf;
  }

  /** Also of a ConfigMap that is deleted before a decision reads it. */
  note({ metadata: { namespace = '', labels, annotations = {} } }: KubeObject): void {
    const name = labels?.[LABEL_POOL];
    if (name === undefined) return;
    const key = keyOf({ namespace, name });
    const { version, completed }: Noted = changeOf({ annotations }) ?? { version: 0 };
    const pool = this.#poolOf({ namespace, name });
    if (!isBelieved(version, pool?.statusVersion ?? 0)) return;
    if (pool !== undefined) this.#uids.set(key, pool.uid);
    if (version >= (this.#highest.get(key)?.version ?? 0))
      this.#highest.set(key, { version, completed });
  }

  highest(pool: Ref & { readonly uid: string }): number {
    return Math.max(this.#highest.get(keyOf(pool))?.version ?? 0, this.#deleted.get(pool.uid) ?? 0);
  }

  /** How many completed streams this version recorded, if it is the highest that was noted. */
  completedIn(version: number, pool: Ref): number | undefined {
    const noted = this.#highest.get(keyOf(pool));
    return noted?.version === version ? noted.completed : undefined;
  }

  forget(pool: Ref): void {
    const key = keyOf(pool);
    const uid = this.#uids.get(key);
    if (uid !== undefined) this.#deleted.set(uid, this.#highest.get(key)?.version ?? 0);
    const [oldest] = this.#deleted.keys();
    if (oldest !== undefined && this.#deleted.size > MOST_DELETED) this.#deleted.delete(oldest);
    this.#uids.delete(key);
    this.#highest.delete(key);
  }
}

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
