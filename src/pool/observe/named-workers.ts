// Which pools' assignments name a pod? Also a pool that has another target now.
import { type Assignment, unboundSlot } from '../../api/assignment.ts';
import { keyOf, type Ref, refOf } from '../../api/objects.ts';

type Named = { readonly assignment: Assignment | undefined; readonly pods: ReadonlySet<string> };

export class NamedWorkers {
  readonly #byPool = new Map<string, Named>();
  readonly #byPod = new Map<string, Set<string>>();

  knows(pool: Ref): boolean {
    return this.#byPool.has(keyOf(pool));
  }

  /** Keys of pools. */
  poolsNaming(pod: Ref): readonly string[] {
    return [...(this.#byPod.get(keyOf(pod)) ?? [])];
  }

  /** Returns the pods that are newly named or no longer named. */
  note(pool: Ref, assignment: Assignment | undefined): readonly Ref[] {
    const key = keyOf(pool);
    const before = this.#byPool.get(key);
    if (before !== undefined && before.assignment === assignment) return [];
    const pods = podsNamedIn(pool, assignment);
    const gone = [...(before?.pods ?? [])].filter((pod) => !pods.has(pod));
    const fresh = [...pods].filter((pod) => before?.pods.has(pod) !== true);
    for (const pod of gone) this.#remove(pod, key);
    for (const pod of fresh) this.#byPod.set(pod, (this.#byPod.get(pod) ?? new Set()).add(key));
    this.#byPool.set(key, { assignment, pods });
    return [...gone, ...fresh].map(refOf);
  }

  forget(pool: Ref): readonly Ref[] {
    const key = keyOf(pool);
    const { pods = new Set<string>() } = this.#byPool.get(key) ?? {};
    for (const pod of pods) this.#remove(pod, key);
    this.#byPool.delete(key);
    return [...pods].map(refOf);
  }

  #remove(pod: string, pool: string): void {
    const pools = this.#byPod.get(pod);
    pools?.delete(pool);
    if (pools?.size === 0) this.#byPod.delete(pod);
  }
}

const podsNamedIn = (
  { namespace = '' }: Ref,
  assignment: Assignment | undefined,
): ReadonlySet<string> =>
  new Set(
    [...(assignment?.workloads ?? [])].flatMap(([name, { slot }]) =>
      slot !== undefined && name === unboundSlot(slot) ? [] : [keyOf({ namespace, name })],
    ),
  );
