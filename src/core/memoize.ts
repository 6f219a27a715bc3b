// Which results are kept? Those that are needed again and again for an object that does not change.

/** Computes the result once for each object, and keeps it as long as the object exists. */
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
