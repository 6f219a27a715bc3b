// Which versions does the operator believe, and which has it seen? Users and workers can write or
// report any.
import { HIGHEST_VERSION } from '../../api/assignment.ts';
import { type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import type { ConfigMap, Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import { memoize } from '../../core/memoize.ts';
import { ANNOTATION_CHANGE, changeOf, LABEL_POOL } from '../publish/config-map.ts';
import { notedOn } from '../workers/seats.ts';
import type { PublishedShard } from '../world.ts';

/**
 * Up to here every version is believed, since workers that follow it ignore lower ones. Two
 * versions a second get here in 1,500 years, and nine times as many are left after a lie.
 */
export const FARTHEST_BELIEVED = HIGHEST_VERSION / 10;
/** How many versions may have been published since status was last written. */
const MOST_UNTOLD = 1_000;

/** `record`: the version in status, which only the operator writes. */
const isBelieved = (version: number, record: number): boolean =>
  version < HIGHEST_VERSION && version <= Math.max(FARTHEST_BELIEVED, record + MOST_UNTOLD);

/** A file with an unbelievable version counts as unreadable, such a note as missing. */
export function believedShard(shard: PublishedShard, record: number): PublishedShard {
  const { read, configMap } = shard;
  const isLie = read?.ok === true && !isBelieved(read.assignment.version, record);
  const noted = changeOf(configMap)?.version ?? 0;
  if (!isLie && isBelieved(noted, record)) return shard;
  return {
    ...shard,
    ...(isLie && {
      read: { ok: false, problem: 'its version is far above any that was published' } as const,
    }),
    ...(!isBelieved(noted, record) && { configMap: withoutNote(configMap) }),
  };
}

/** An empty note is unreadable, so the operator removes it. */
const withoutNote = (configMap: ConfigMap): ConfigMap => ({
  ...configMap,
  annotations: { ...configMap.annotations, [ANNOTATION_CHANGE]: '' },
});

/** Without an unbelievable annotation; the operator then writes it again. */
export function believedPod(pod: Pod, record: number): Pod {
  const told = notedOn(pod);
  return told === undefined || isBelieved(told.version, record)
    ? pod
    : { ...pod, assigned: undefined };
}

export function believedAnswer(answer: ProbeAnswer, record: number): ProbeAnswer {
  const highest = versionOf(answer);
  if (isBelieved(highest, record)) return answer;
  return {
    ok: false,
    reason: `it follows version ${highest}, and the operator cannot publish a higher one; delete its pod: a new pod follows the published assignment`,
  };
}

/** By pod UID. The same object when all are believed, as is usual. */
export function believedAnswers(
  answers: Readonly<Record<string, ProbeAnswer>>,
  record: number,
): Readonly<Record<string, ProbeAnswer>> {
  if (isBelieved(highestIn(answers), record)) return answers;
  const lies = Object.entries(answers).flatMap(([uid, answer]) => {
    const believed = believedAnswer(answer, record);
    return believed === answer ? [] : [[uid, believed] as const];
  });
  return lies.length === 0 ? answers : { ...answers, ...Object.fromEntries(lies) };
}

const highestIn = memoize((answers: Readonly<Record<string, ProbeAnswer>>): number =>
  Object.values(answers).reduce((highest, answer) => Math.max(highest, versionOf(answer)), 0),
);

/** The highest version that the worker reports. */
const versionOf = (answer: ProbeAnswer): number =>
  answer.ok ? Math.max(answer.report.version, answer.report.read ?? 0) : 0;

/** How many deleted pools keep their version: a restored etcd may bring such a pool back. */
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
  return versionOf(answer);
}
