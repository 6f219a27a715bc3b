// What is worth computing once? What is needed again and again of an object that does not change.

/** Computed once for each object, and kept as long as the object is. */
export function memoize<Key extends object, T>(compute: (key: Key) => T): (key: Key) => T {
  const kept = new WeakMap<Key, T>();
  return (key) => {
    let value = kept.get(key);
    if (value === undefined) {
      value = compute(key);
      kept.set(key, value);
    }
    return value;
  };
}
