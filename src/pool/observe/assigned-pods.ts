// Which pods belong to an assignment: which does it name, and which were told of a version?
import { type Assignment, unboundSlot } from '../../api/assignment.ts';
import { keyOf, type Ref, refOf } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';

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

/** Only annotations show which version a pod was told of, once a ConfigMap is lost. */
export class AnnotatedPods {
  /** ConfigMap -> pods, by key. */
  readonly #byPlace = new Map<string, Map<string, Pod>>();

  /** Returns the ConfigMaps that the pod mounts or mounted before. */
  note(ref: Ref, before: Pod | undefined, after: Pod | undefined): readonly string[] {
    const key = keyOf(ref);
    const left = placesOf(before);
    const taken = placesOf(after);
    for (const place of left) {
      const pods = this.#byPlace.get(place);
      pods?.delete(key);
      if (pods?.size === 0) this.#byPlace.delete(place);
    }
    if (after !== undefined)
      for (const place of taken)
        this.#byPlace.set(place, (this.#byPlace.get(place) ?? new Map()).set(key, after));
    return [...left, ...taken];
  }

  at(configMap: Ref): readonly Pod[] {
    return [...(this.#byPlace.get(keyOf(configMap))?.values() ?? [])];
  }
}

const placesOf = (pod: Pod | undefined): readonly string[] =>
  pod?.assigned === undefined
    ? []
    : pod.mountedConfigMaps.map((name) => keyOf({ namespace: pod.namespace, name }));
