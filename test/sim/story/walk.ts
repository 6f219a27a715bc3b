// What if users do anything in any order? A random walk over the actions on a pool and its spec,
// and back at the end.
import { streamNames } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import { changesOf } from './fields.ts';
import { withFaults } from './plan.ts';
import { modes } from './states.ts';
import type { Action, Placed, Shape, Story } from './story.ts';
import { wideWalk } from './wide-walk.ts';

const LAST_MS = 6_000;

/** The share of walks that also change everything around the pool. */
const WIDE = 0.7;

export function walk(seed: number, random: Random): Story {
  if (random.chance(WIDE))
    return withFaults(wideWalk(seed, random, step), random, random.between(0, 3));
  const mode = random.pick(modes);
  const shape: Shape = {
    mode,
    workers: random.between(1, 4),
    streams: random.between(1, 9),
    isOrdered: random.chance(0.3),
    hasFiniteJobs: random.chance(0.15),
    ...(mode === 'Auto' && random.chance(0.5) && { readsOnce: true }),
  };
  const steps = random.between(1, 8);
  const actions = Array.from(
    { length: steps },
    (): Placed<Action> => ({ ...step(shape, random), atMs: random.between(0, LAST_MS) }),
  );
  const story: Story = {
    seed,
    shape,
    isWalk: true,
    hasStandby: false,
    startsEmpty: random.chance(0.1),
    actions: whole(actions, random),
    faults: [],
  };
  return withFaults(story, random, random.between(0, 3));
}

function step(shape: Shape, random: Random): Action {
  const { streams, workers } = shape;
  const dice = random.between(0, 13);
  switch (dice) {
    case 0:
    case 1:
      return {
        do: 'streams',
        names: streamNames(random.between(0, streams + 3), random.between(0, 3)),
      };
    case 2:
    case 3:
      return { do: 'scale', to: random.between(0, workers + 2) };
    case 4:
      return { do: 'template', revision: random.pick(['first', 'second', 'third']) };
    case 5:
      return {
        do: 'parameter',
        stream: `s${random.between(0, streams)}`,
        value: random.pick(['one', 'two', '']),
      };
    case 6:
      return {
        do: random.pick(['deletePod', 'forcePod', 'crashProcess', 'endProcess']),
        index: random.between(0, workers),
      };
    case 7:
      return { do: random.pick(['pause', 'deletePool', 'deleteTarget', 'restartOperator']) };
    default:
      return { do: 'spec', ...random.pick(changesOf(shape)) };
  }
}

/** Restores what was deleted and the first spec: then the pool must become healthy again. */
function whole(actions: readonly Placed<Action>[], random: Random): readonly Placed<Action>[] {
  const after = (ms: number): number => LAST_MS + random.between(ms, ms + 1_500);
  return [
    ...actions,
    { do: 'createTarget', atMs: after(0) },
    { do: 'createPool', atMs: after(0) },
    { do: 'resume', atMs: after(1_600) },
    { do: 'restore', atMs: after(1_600) },
  ];
}
