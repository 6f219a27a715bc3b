// Which tiles is a job drawn as, what is the label of each, and where does the focus go among them?
import type { AdmittedJob, RankTile } from '../../api/introspection/queues.ts';
import type { ReplicaState } from './segments.ts';
import { numberText } from './words.ts';

/**
 * Missing: the rank has no pod. Held: it waits for the other ranks. Failed: it has ended badly. The
 * others as in a bar.
 */
export type TileState = ReplicaState | 'missing' | 'held' | 'failed';

/** A rank, or successive ranks in the colour of the worst of them. */
export type JobTile = {
  readonly state: TileState;
  readonly label: string;
  readonly isLeader: boolean;
};

type Words = { readonly tile: TileState; readonly one: string; readonly many: string };

/** In the order of the legend. */
const words: Readonly<Record<RankTile['state'], Words>> = {
  Running: { tile: 'ready', one: 'runs', many: 'run' },
  Succeeded: { tile: 'done', one: 'has ended well', many: 'have ended well' },
  Waiting: { tile: 'held', one: 'waits for the others', many: 'wait for the others' },
  Pending: { tile: 'waiting', one: 'is pending', many: 'are pending' },
  Missing: { tile: 'missing', one: 'is not there yet', many: 'are not there yet' },
  Stuck: { tile: 'stuck', one: 'cannot start', many: 'cannot start' },
  Failed: { tile: 'failed', one: 'has failed', many: 'have failed' },
  Ending: { tile: 'leaving', one: 'is ending', many: 'are ending' },
};

export function rankTilesOf({ size, rankTiles }: AdmittedJob): readonly JobTile[] {
  if (rankTiles === undefined) return [];
  const { ranksEach, hasLeader, tiles } = rankTiles;
  return tiles.map((tile, at) => {
    const first = at * ranksEach;
    const last = Math.min(size, first + ranksEach) - 1;
    const isLeader = hasLeader && at === 0;
    return {
      state: words[tile.state].tile,
      isLeader,
      label: first === last ? oneText(tile, isLeader) : manyText(tile, first, last, isLeader),
    };
  });
}

/** "rank 3: ImagePullBackOff" */
const oneText = ({ rank, state, message }: RankTile, isLeader: boolean): string =>
  `rank ${rank}${isLeader ? ' (leader)' : ''}: ${stateText(state, message)}`;

function stateText(state: RankTile['state'], message: string | undefined): string {
  if (message === undefined) return withoutIs(words[state].one);
  return state === 'Failed' ? `failed, ${message}` : message;
}

const withoutIs = (text: string): string => text.replace(/^is /, '');

export type LegendEntry = readonly [state: TileState | 'leader', word: string];

const ofTiles: readonly LegendEntry[] = [
  ...Object.values(words).map(({ tile, one }): LegendEntry => [tile, withoutIs(one)]),
  ['leader', 'leads the others'],
];

/** A bar does not tell a rank that fails from one that cannot start. */
const ofBars: readonly LegendEntry[] = [
  ['ready', 'runs'],
  ['done', 'has ended well'],
  ['waiting', 'not ready yet'],
  ['stuck', 'fails'],
  ['leaving', 'ending'],
];

type Drawn = {
  readonly tiles: readonly JobTile[];
  readonly segments: readonly { readonly state: ReplicaState }[];
};

/** Of the states that are drawn. */
export function legendOf(rows: readonly Drawn[]): readonly LegendEntry[] {
  const tiles = rows.flatMap((row) => row.tiles);
  const drawn = new Set<string>(tiles.map(({ state }) => state));
  if (tiles.some(({ isLeader }) => isLeader)) drawn.add('leader');
  const inBars = new Set<string>(
    rows.flatMap(({ segments }) => segments.map(({ state }) => state)),
  );
  const entries = ofTiles.filter(([state]) => drawn.has(state));
  const known = new Set(entries.map(([, word]) => word));
  return [...entries, ...ofBars.filter(([state, word]) => inBars.has(state) && !known.has(word))];
}

/** "ranks 100 to 149: 2 of 50 have failed; rank 117: failed, exit code 3" */
function manyText(tile: RankTile, first: number, last: number, isLeader: boolean): string {
  const { state, message, count } = tile;
  const size = last - first + 1;
  const { one, many } = words[state];
  const part = `${numberText(count)} of ${numberText(size)} ${count === 1 ? one : many}`;
  const whole = count === size ? `all ${many}` : part;
  const such = count === size && message === undefined ? '' : `; ${oneText(tile, false)}`;
  return `ranks ${first} to ${last}${isLeader ? ' (rank 0 leads)' : ''}: ${whole}${such}`;
}

/** `perLine`: the number of tiles in each line. Undefined: the key moves nothing. */
export function tileAfter(
  key: string,
  at: number,
  count: number,
  perLine: number,
): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowRight':
      return Math.min(count - 1, at + 1);
    case 'ArrowUp':
      return at < perLine ? at : at - perLine;
    case 'ArrowDown':
      return at + perLine < count ? at + perLine : at;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
