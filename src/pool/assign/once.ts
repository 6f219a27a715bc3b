// How are a hundred thousand streams told why they have no worker, without a hundred thousand
// texts? The same figures, the same words.

/** Made at the first question for a number, and kept as long as the answer is. */
export function onceFor<T>(make: (figure: number) => T): (figure: number) => T {
  const made = new Map<number, T>();
  return (figure) => {
    const present = made.get(figure);
    if (present !== undefined) return present;
    const value = make(figure);
    made.set(figure, value);
    return value;
  };
}
