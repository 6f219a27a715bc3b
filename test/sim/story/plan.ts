// Which stories are run? Every fault at every call of every state; and any number of others, each
// from a seed of its own.
import { Random } from '../random.ts';
import { type Fault, faults } from './faults.ts';
import { withRestartEpisodes } from './restart-episodes.ts';
import { modes, type StateName, stateNames, storyOf } from './states.ts';
import {
  type AnyStory,
  type FaultName,
  faultNames,
  type Mode,
  type PlacedFault,
  type Story,
} from './story.ts';
import { withStreamEpisodes } from './stream-episodes.ts';
import { walk } from './walk.ts';

export type Side = 'before' | 'after';

/** Numbers of calls: the last may still be under way when the pool is healthy. */
export type Calls = Readonly<Record<Side, ReadonlySet<number>>>;

const sidesOf = ({ side }: Fault): readonly Side[] =>
  side === undefined ? ['before', 'after'] : [side];

/** Two leaders need a second. */
const needsStandby = (fault: FaultName): boolean => fault === 'F16';

/** A state without any fault: the calls that it takes are the cells that there are. */
export const plainStory = (state: StateName, mode: Mode, seed: number): Story =>
  storyOf(state, mode, seed, new Random(seed));

/**
 * Every fault before and after each call of a story; `calls` has the calls, alone and beside a
 * second operator.
 */
export const cellsOf = <S extends AnyStory>(
  plain: S,
  calls: { readonly alone: Calls; readonly beside: Calls },
): readonly S[] =>
  faultNames.flatMap((fault) =>
    sidesOf(faults[fault]).flatMap((side) =>
      [...(needsStandby(fault) ? calls.beside : calls.alone)[side]].map((call): S => {
        const placed: PlacedFault = { fault, call, side };
        return { ...plain, hasStandby: plain.hasStandby || needsStandby(fault), faults: [placed] };
      }),
    ),
  );

/** In turn, so that every mode occurs over the states, and other ones with another seed. */
export const modeInTurn = (state: StateName, turn: number): Mode => {
  const mode = modes[(stateNames.indexOf(state) + turn) % modes.length];
  if (mode === undefined) throw new Error('there are no modes');
  return mode;
};

/** One story for each seed. */
export function storyFor(seed: number): Story {
  const story = withStreamEpisodes(plannedFor(seed), new Random(seed).fork('streams'));
  return withRestartEpisodes(story, new Random(seed).fork('restarts'));
}

function plannedFor(seed: number): Story {
  const random = new Random(seed).fork('plan');
  if (random.chance(0.4)) return walk(seed, random);
  const plain = storyOf(random.pick(stateNames), random.pick(modes), seed, random);
  const count = random.chance(0.7) ? 1 : random.between(2, 3);
  return withFaults(plain, random, count);
}

export function withFaults<S extends AnyStory>(story: S, random: Random, count: number): S {
  const names = Array.from({ length: count }, () => random.pick(faultNames));
  const hasStandby = random.chance(0.35) || names.some(needsStandby);
  const placed = names.map((fault): PlacedFault => {
    const whom = hasStandby && random.chance(0.5) ? { operator: 1 } : {};
    if (random.chance(0.2)) return { fault, ...whom, atMs: random.between(0, 4_000) };
    return {
      fault,
      ...whom,
      call: random.between(1, 40),
      side: random.pick(sidesOf(faults[fault])),
    };
  });
  return { ...story, hasStandby, faults: placed };
}
