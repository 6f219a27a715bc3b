// How do 100,000 streams share a few messages? Streams with the same figure share one text.

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
