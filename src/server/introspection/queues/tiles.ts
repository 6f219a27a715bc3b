// Which tiles is a job drawn as? One for each rank, or for successive ranks if there are many.
import type { RankTile, RankTiles } from '../../../api/introspection/queues.ts';
import type { RankState, RankStates } from './ranks.ts';

/** More would fill the window. */
const MOST_OF_JOB = 128;
/** Of all jobs: more would be too long an answer. */
const MOST_IN_ALL = 2_000;

type Drawn = {
  readonly size: number;
  readonly hasLeader: boolean;
  /** The number of jobs in the answer. */
  readonly jobs: number;
};

export function tilesOf(states: RankStates, { size, hasLeader, jobs }: Drawn): RankTiles {
  const most = Math.min(MOST_OF_JOB, Math.floor(MOST_IN_ALL / jobs));
  const ranksEach = roundWidth(size / most);
  const tiles: RankTile[] = [];
  for (let first = 0; first < size; first += ranksEach)
    tiles.push(tileOf(states, first, Math.min(size, first + ranksEach)));
  return { ranksEach, hasLeader, tiles };
}

/** 1, 2, 5, 10, 20, …: readers see from which rank to which. */
function roundWidth(least: number): number {
  for (let unit = 1; ; unit *= 10)
    for (const times of [1, 2, 5]) if (unit * times >= least) return unit * times;
}

/** From the worst. */
const order: readonly RankState['state'][] = [
  ...(['Failed', 'Stuck', 'Ending', 'Missing', 'Pending', 'Waiting', 'Running'] as const),
  'Succeeded',
];

function tileOf(states: RankStates, first: number, end: number): RankTile {
  let worst: RankTile = { state: 'Succeeded', rank: first, count: 0 };
  for (let rank = first; rank < end; rank += 1) {
    const found = states.get(rank) ?? { state: 'Missing' as const };
    const [at, worstAt] = [order.indexOf(found.state), order.indexOf(worst.state)];
    if (at < worstAt) worst = { ...found, rank, count: 1 };
    else if (at === worstAt) worst = { ...worst, count: worst.count + 1 };
  }
  return worst;
}
