// What if everything around a pool changes as well? Workloads that come, go and are renamed, another pool, limits, nodes that die.
import { targetKindOf } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import { modes } from './states.ts';
import type { Action, Placed, Shape, Story, TargetName } from './story.ts';
import { changesTarget } from './targets.ts';
import { aimedAt, selecting, wish } from './wishes.ts';

const LAST_MS = 6_000;

const others: readonly TargetName[] = ['StatefulSet/other', 'StatefulSet/third', 'Deployment/crew'];

type Part = readonly Placed<Action>[];

/** One thing that somebody does, in as many steps as it takes. */
type Gesture = (shape: Shape, random: Random, at: number) => Part;

const mainOf = (shape: Shape): TargetName => `${targetKindOf(shape)}/worker`;
const anyOf = (shape: Shape, random: Random): TargetName => random.pick([mainOf(shape), ...others]);
const made = (shape: Shape, random: Random, target: TargetName, isSelected: boolean): Action => ({
  do: 'addTarget',
  target,
  replicas: random.between(0, shape.workers + 1),
  isSelected,
  ...(random.chance(0.2) && { start: random.between(1, 3) }),
});
const aim = (target: TargetName): Action => ({ do: 'spec', patch: aimedAt(target), says: target });

const rename: Gesture = (shape, random, at) => {
  const to = random.pick(others);
  const aimed = at + random.between(0, 1_500);
  const old = anyOf(shape, random);
  return [
    { ...made(shape, random, to, random.chance(0.2)), atMs: at },
    { ...aim(to), atMs: aimed },
    ...(random.chance(0.5)
      ? [{ do: 'dropTarget', target: mainOf(shape), leavesPods: random.chance(0.3), atMs: aimed + random.between(0, 2_500) } as const]
      : []),
    ...(random.chance(0.4) ? [{ ...aim(old), atMs: aimed + random.between(20, 3_000) }] : []),
    ...(random.chance(0.2) ? [{ do: 'spec', patch: selecting('worker'), atMs: aimed + random.between(20, 3_000) } as const] : []),
  ];
};

const enter: Gesture = (shape, random, at) => {
  const target = random.pick(others);
  return [
    { ...made(shape, random, target, true), atMs: at },
    ...(random.chance(0.5) ? [{ do: 'relabel', target, isSelected: false, atMs: at + random.between(50, 3_000) } as const] : []),
    ...(random.chance(0.3) ? [{ do: 'relabel', target, isSelected: true, atMs: at + random.between(50, 4_000) } as const] : []),
  ];
};

const leave: Gesture = (shape, random, at) => [
  { do: 'relabel', target: mainOf(shape), isSelected: false, atMs: at },
  ...(random.chance(0.6)
    ? [{ do: 'relabel', target: mainOf(shape), isSelected: true, atMs: at + random.between(10, 3_000) } as const]
    : []),
];

const remake: Gesture = (shape, random, at) => [
  { do: 'dropTarget', target: anyOf(shape, random), leavesPods: random.chance(0.6), atMs: at },
  { do: 'createTarget', atMs: at + random.between(50, 4_000) },
];

const tend: Gesture = (shape, random, at) => {
  const target = anyOf(shape, random);
  const action: Action = random.pick([
    { do: 'scaleTarget', target, to: random.between(0, shape.workers + 2) },
    { do: 'rollTarget', target, revision: random.pick(['first', 'second', 'third']) },
    { do: 'startAt', target, ordinal: random.between(0, 3) },
    { do: 'dropTarget', target, leavesPods: random.chance(0.3) },
    { do: 'removeOrphans' },
  ] as const);
  return [{ ...action, atMs: at }];
};

const wishFor: Gesture = (_, random, at) =>
  Array.from({ length: random.between(1, 3) }, () => ({ ...wish(random), atMs: at + random.between(0, 2_000) }));

const gestures: readonly Gesture[] = [rename, rename, enter, leave, remake, tend, tend, wishFor, wishFor, wishFor];

export function wideWalk(seed: number, random: Random, step: (shape: Shape, random: Random) => Action): Story {
  const shape: Shape = {
    mode: random.pick(modes),
    workers: random.between(1, 4),
    streams: random.between(1, 9),
    isOrdered: random.chance(0.3),
    hasFiniteJobs: random.chance(0.1),
    ...(random.chance(0.25) && { isSlow: true }),
    isWide: true,
  };
  const at = (): number => random.between(0, LAST_MS);
  const done = [
    ...Array.from({ length: random.between(1, 4) }, () => random.pick(gestures)(shape, random, at())).flat(),
    ...Array.from({ length: random.between(0, 3) }, (): Placed<Action> => ({ ...step(shape, random), atMs: at() })),
  ];
  return {
    seed,
    shape,
    isWalk: true,
    hasStandby: false,
    startsEmpty: random.chance(0.1),
    actions: [...done, ...wholeAgain(shape, random, done)],
    faults: [],
  };
}

/** What there was at first is there again, as it was; of the rest, what stays is no concern of the pool any more. */
function wholeAgain(shape: Shape, random: Random, done: Part): Part {
  const last = done.reduce((latest, { atMs }) => Math.max(latest, atMs), LAST_MS);
  const after = (ms: number): number => last + random.between(ms, ms + 1_500);
  const main = mainOf(shape);
  const isChanged = changesTarget({ actions: done });
  return [
    { do: 'createTarget', atMs: after(0) },
    { do: 'createPool', atMs: after(0) },
    ...(isChanged
      ? [
          { do: 'relabel', target: main, isSelected: true, atMs: after(1_600) } as const,
          { do: 'rollTarget', target: main, revision: random.pick(['first', 'second']), atMs: after(1_600) } as const,
          { do: 'removeOrphans', atMs: after(1_600) } as const,
          ...others.map(
            (target): Placed<Action> =>
              random.chance(0.6)
                ? { do: 'dropTarget', target, atMs: after(0) }
                : { do: 'relabel', target, isSelected: false, atMs: after(0) },
          ),
        ]
      : []),
    { do: 'resume', atMs: after(1_600) },
    { do: 'restore', atMs: after(1_600) },
  ];
}
