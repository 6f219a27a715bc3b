// What if everything around a pool changes as well? Workloads that are created, deleted and
// renamed, another pool, limits, nodes that die.
import { partsOf, targetKindOf } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import { modes } from './states.ts';
import type { Action, Placed, Shape, Story, TargetName } from './story.ts';
import { changesTarget } from './targets.ts';
import { aimedAt, selecting, validValue } from './valid-values.ts';

const LAST_MS = 6_000;

const others: readonly TargetName[] = ['StatefulSet/other', 'StatefulSet/third', 'Deployment/crew'];

type Part = readonly Placed<Action>[];

/** One change of a user, in as many steps as it takes. */
type UserChange = (shape: Shape, random: Random, at: number) => Part;

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

const rename: UserChange = (shape, random, at) => {
  const to = random.pick(others);
  const aimed = at + random.between(0, 1_500);
  const old = anyOf(shape, random);
  return [
    { ...made(shape, random, to, random.chance(0.2)), atMs: at },
    { ...aim(to), atMs: aimed },
    ...(random.chance(0.5)
      ? [
          {
            do: 'dropTarget',
            target: mainOf(shape),
            leavesPods: random.chance(0.3),
            atMs: aimed + random.between(0, 2_500),
          } as const,
        ]
      : []),
    ...(random.chance(0.4) ? [{ ...aim(old), atMs: aimed + random.between(20, 3_000) }] : []),
    ...(random.chance(0.2)
      ? [
          {
            do: 'spec',
            patch: selecting('worker'),
            atMs: aimed + random.between(20, 3_000),
          } as const,
        ]
      : []),
  ];
};

const enter: UserChange = (shape, random, at) => {
  const target = random.pick(others);
  return [
    { ...made(shape, random, target, true), atMs: at },
    ...(random.chance(0.5)
      ? [
          {
            do: 'relabel',
            target,
            isSelected: false,
            atMs: at + random.between(50, 3_000),
          } as const,
        ]
      : []),
    ...(random.chance(0.3)
      ? [{ do: 'relabel', target, isSelected: true, atMs: at + random.between(50, 4_000) } as const]
      : []),
  ];
};

const leave: UserChange = (shape, random, at) => [
  { do: 'relabel', target: mainOf(shape), isSelected: false, atMs: at },
  ...(random.chance(0.6)
    ? [
        {
          do: 'relabel',
          target: mainOf(shape),
          isSelected: true,
          atMs: at + random.between(10, 3_000),
        } as const,
      ]
    : []),
];

const remake: UserChange = (shape, random, at) => [
  { do: 'dropTarget', target: anyOf(shape, random), leavesPods: random.chance(0.6), atMs: at },
  { do: 'createTarget', atMs: at + random.between(50, 4_000) },
];

const tend: UserChange = (shape, random, at) => {
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

const validValueFor: UserChange = (_, random, at) =>
  Array.from({ length: random.between(1, 3) }, () => ({
    ...validValue(random),
    atMs: at + random.between(0, 2_000),
  }));

/**
 * Its own workers do not mount what it publishes: it only claims targets, and nudges their pods
 * with versions of its own.
 */
const rivalSpec = (shape: Shape, random: Random): object => ({
  workers: {
    ...(random.chance(0.3)
      ? { selector: { matchLabels: { app: random.pick(['worker', 'away']) } } }
      : { targetRef: partsOf(anyOf(shape, random)) }),
    ...(random.chance(0.2) && { scaling: 'Lead' }),
  },
  ...(random.chance(0.4) && { handoff: { type: 'Exclusive' } }),
  streams: [{ name: 'r0' }, { name: 'r1' }],
});

const rival: UserChange = (shape, random, at) => [
  { do: 'rival', spec: rivalSpec(shape, random), atMs: random.chance(0.3) ? 0 : at },
  ...(random.chance(0.5)
    ? [
        {
          do: 'rival',
          spec: rivalSpec(shape, random),
          atMs: at + random.between(100, 3_000),
        } as const,
      ]
    : []),
  ...(random.chance(0.4) ? [{ do: 'rival', atMs: at + random.between(100, 4_000) } as const] : []),
  // Created again, the pool is the younger of the two.
  ...(random.chance(0.3)
    ? ([
        { do: 'deletePool', atMs: at + 500 },
        { do: 'createPool', atMs: at + random.between(700, 3_000) },
      ] as const)
    : []),
  ...(random.chance(0.6)
    ? [{ ...aim(random.pick(others)), atMs: at + random.between(0, 3_000) }]
    : []),
];

const autoscaler: UserChange = (shape, random, at) => [
  { do: 'autoscaler', of: random.chance(0.4) ? 'pool' : anyOf(shape, random), atMs: at },
  ...(random.chance(0.5)
    ? [{ do: 'autoscaler', atMs: at + random.between(100, 4_000) } as const]
    : []),
];

const limit: UserChange = (shape, random, at) => [
  random.chance(0.4)
    ? { do: 'budget', minAvailable: random.between(0, shape.workers), atMs: at }
    : {
        do: 'quota',
        of: random.pick(['ConfigMap', 'ConfigMap', 'eviction'] as const),
        forMs: random.between(500, 8_000),
        atMs: at,
      },
];

const deadNode: UserChange = (_, random, at) => {
  const forMs = random.between(5_000, 25_000);
  return [
    { do: 'nodeDies', index: random.between(0, 2), forMs, atMs: at },
    ...(random.chance(0.5)
      ? [{ do: 'deleteDeadPods', atMs: at + random.between(500, forMs) } as const]
      : []),
  ];
};

const userChanges: readonly UserChange[] = [
  ...[rename, rename, rename, enter, leave, remake, tend, tend],
  ...[validValueFor, validValueFor, validValueFor, rival, autoscaler, limit, deadNode],
];

export function wideWalk(
  seed: number,
  random: Random,
  step: (shape: Shape, random: Random) => Action,
): Story {
  const mode = random.pick(modes);
  const shape: Shape = {
    mode,
    workers: random.between(1, 4),
    streams: random.between(1, 9),
    isOrdered: random.chance(0.3),
    hasFiniteJobs: random.chance(0.1),
    ...(random.chance(0.25) && { isSlow: true }),
    ...(mode === 'Auto' && random.chance(0.5) && { readsOnce: true }),
    isWide: true,
  };
  const at = (): number => random.between(0, LAST_MS);
  const done = [
    ...Array.from({ length: random.between(1, 4) }, () =>
      random.pick(userChanges)(shape, random, at()),
    ).flat(),
    ...Array.from(
      { length: random.between(0, 3) },
      (): Placed<Action> => ({ ...step(shape, random), atMs: at() }),
    ),
  ];
  return {
    seed,
    shape,
    isWalk: true,
    hasStandby: false,
    startsEmpty: random.chance(0.1),
    actions: [...done, ...restoreEverything(shape, random, done)],
    faults: [],
  };
}

/** Restores all first objects; what else remains does not concern the pool any more. */
function restoreEverything(shape: Shape, random: Random, done: Part): Part {
  const last = done.reduce((latest, { atMs }) => Math.max(latest, atMs), LAST_MS);
  const after = (ms: number): number => last + random.between(ms, ms + 1_500);
  const isChanged = changesTarget({ actions: done });
  const has = (what: Action['do']): boolean => done.some((action) => action.do === what);
  const mends: Part = [
    ...(has('rival') ? [{ do: 'rival', atMs: after(0) } as const] : []),
    ...(has('autoscaler') ? [{ do: 'autoscaler', atMs: after(0) } as const] : []),
    ...(has('budget') ? [{ do: 'budget', atMs: after(0) } as const] : []),
    { do: 'createTarget', atMs: after(0) },
    { do: 'createPool', atMs: after(0) },
    ...(isChanged ? restoredTargets(shape, random, after) : []),
    { do: 'resume', atMs: after(1_600) },
    { do: 'restore', atMs: after(1_600) },
  ];
  return mends.map((action) => ({ ...action, mends: true }));
}

const restoredTargets = (shape: Shape, random: Random, after: (ms: number) => number): Part => [
  { do: 'relabel', target: mainOf(shape), isSelected: true, atMs: after(1_600) },
  {
    do: 'rollTarget',
    target: mainOf(shape),
    revision: random.pick(['first', 'second']),
    atMs: after(1_600),
  },
  { do: 'removeOrphans', atMs: after(1_600) },
  ...others.map((target): Placed<Action> => {
    const atMs = after(0);
    return random.chance(0.6)
      ? { do: 'dropTarget', target, atMs }
      : { do: 'relabel', target, isSelected: false, atMs };
  }),
];
