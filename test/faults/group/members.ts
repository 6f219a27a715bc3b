// Which members has the group of a cell, and what does each have at a size? Written down, not
// computed: it is what the operator is compared with.
export type Order = 'Together' | 'Staged';

export const stages = {
  db: { stage: 0, maxReplicas: 2 },
  app: { stage: 1, ratio: 2, maxReplicas: 5 },
  web: { stage: 2, ratio: '0.5', minReplicas: 1 },
} as const;

/** The last one to grow and the first to shrink. */
export const LAST = 'web';

const replicas: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  db: { 1: 1, 2: 2, 3: 2 },
  app: { 1: 2, 2: 4, 3: 5 },
  web: { 1: 1, 2: 1, 3: 2 },
};

export function replicasAt(member: string, size: number): number {
  const found = replicas[member]?.[size];
  if (found === undefined) throw new Error(`no size ${size} of ${member} is written down`);
  return found;
}

export const bounds: Readonly<Record<string, readonly [least: number, most: number]>> = {
  db: [0, 2],
  app: [0, 5],
  web: [1, Number.POSITIVE_INFINITY],
};

export const stageOf = (member: string): number =>
  Object.entries(stages).find(([name]) => name === member)?.[1].stage ?? 0;
