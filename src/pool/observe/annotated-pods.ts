// Which pods were told of a version? Only their annotations show it once a ConfigMap is lost.
import { keyOf, type Ref } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';

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
