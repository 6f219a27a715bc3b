// What may happen to a pool's streams beside all else? They crash and get well, their workers die,
// tell nothing or lie, and users suspend and resume them, or mistype their weights and pins.
import { tellings } from '../cluster/telling.ts';
import type { Random } from '../random.ts';
import type { Action, Placed, Shape, Story } from './story.ts';

const SHARE = 0.25;
const LAST_MS = 5_000;

type Episode = (shape: Shape, random: Random, at: number) => readonly Placed<Action>[];

const streamOf = ({ streams }: Shape, random: Random): string =>
  `s${random.between(0, Math.max(0, streams - 1))}`;

/** With a password in it. */
export const address = (random: Random): string =>
  `rtsp://eye:k3yQ${random.between(1_000, 9_999)}zR7@camera`;

const crash: Episode = (shape, random, at) => {
  const stream = streamOf(shape, random);
  const later = (most: number): number => at + random.between(50, most);
  return [
    ...(random.chance(0.6)
      ? [{ do: 'parameter', stream, value: address(random), atMs: at } as const]
      : []),
    { do: 'ail', stream, atMs: later(800) },
    ...(random.chance(0.4)
      ? [
          {
            do: random.pick(['deletePod', 'forcePod'] as const),
            index: random.between(0, shape.workers),
            atMs: later(6_000),
          },
        ]
      : []),
    ...(random.chance(0.2)
      ? [
          {
            do: 'telling',
            index: random.between(0, shape.workers),
            how: random.pick(tellings),
            atMs: later(2_000),
          } as const,
        ]
      : []),
    ...(random.chance(0.5) ? [{ do: 'heal', stream, atMs: later(12_000) } as const] : []),
  ];
};

const telling: Episode = ({ workers }, random, at) => {
  const index = random.between(0, workers);
  return [
    { do: 'telling', index, how: random.pick(tellings), atMs: at },
    ...(random.chance(0.4)
      ? [{ do: 'telling', index, how: 'all', atMs: at + random.between(100, 9_000) } as const]
      : []),
  ];
};

const suspend: Episode = (shape, random, at) => {
  const stream = streamOf(shape, random);
  return [
    { do: 'suspend', stream, isSuspended: true, atMs: at },
    ...(random.chance(0.5)
      ? [
          {
            do: 'suspend',
            stream,
            isSuspended: false,
            atMs: at + random.between(20, 4_000),
          } as const,
        ]
      : []),
  ];
};

/** A worker whose node is broken: all or some streams fail there, and would run elsewhere. */
const breakAt: Episode = ({ workers, streams }, random, at) => {
  const all = Array.from({ length: streams + 3 }, (_, index) => `s${index}`);
  const some = all.filter(() => random.chance(0.5));
  const index = random.between(0, workers);
  return [
    { do: 'breakAt', index, streams: random.chance(0.5) ? all : some, atMs: at },
    ...(random.chance(0.3)
      ? [{ do: 'mendAll', atMs: at + random.between(2_000, 80_000) } as const]
      : []),
    ...(random.chance(0.3)
      ? [{ do: 'restartOperator', atMs: at + random.between(1_000, 90_000) } as const]
      : []),
    ...(random.chance(0.3)
      ? [
          {
            do: 'scale',
            to: random.between(1, workers + 2),
            atMs: at + random.between(55_000, 75_000),
          } as const,
        ]
      : []),
  ];
};

const mistake: Episode = (shape, random, at) => {
  const stream = streamOf(shape, random);
  const field = random.pick(['weight', 'ordinal'] as const);
  return [
    { do: 'mistake', stream, field, atMs: at },
    { do: 'mistake', stream, atMs: at + random.between(20, 9_000) },
  ];
};

const episodes: readonly Episode[] = [crash, crash, telling, suspend, mistake, breakAt];
/** The least that a pool may name: a story is short. */
const MOVE_AFTER_SECONDS = 60;

export function withStreamEpisodes(planned: Story, random: Random): Story {
  if (!random.chance(SHARE)) return planned;
  const shape = random.chance(0.5)
    ? { ...planned.shape, moveAfterSeconds: MOVE_AFTER_SECONDS }
    : planned.shape;
  const story = { ...planned, shape };
  const happens = Array.from({ length: random.between(1, 3) }, () =>
    random.pick(episodes)(story.shape, random, random.between(0, LAST_MS)),
  ).flat();
  return { ...story, actions: [...happens, ...story.actions] };
}
