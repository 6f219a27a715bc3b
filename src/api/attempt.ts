// What does a call return that may throw, where it does not matter why?

/** Undefined: it has thrown. */
export function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Undefined: not JSON. */
export const parseJson = (text: string | undefined): unknown =>
  orUndefined(() => JSON.parse(text ?? ''));
