// Which ordinal has the pod of a StatefulSet, by its name?
export function ordinalOf(name: string): number {
  const ordinal = Number(name.slice(name.lastIndexOf('-') + 1));
  return Number.isInteger(ordinal) ? ordinal : Number.MAX_SAFE_INTEGER;
}
