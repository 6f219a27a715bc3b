// What else do users do with single streams? They restart them by tokens, and in some pools work
// ends, and is run again.
import type { Random } from '../random.ts';
import type { Action, Placed, Shape, Story } from './story.ts';

const SHARE = 0.25;
/** Of these, pools whose work ends. */
const ONCE = 0.5;
const LAST_MS = 5_000;

type Episode = (shape: Shape, random: Random, at: number) => readonly Placed<Action>[];

/** Also one that is not in the list. */
const streamOf = ({ streams }: Shape, random: Random): string => `s${random.between(0, streams)}`;
const tokenOf = (random: Random): string => `t${random.between(1, 1_000_000)}`;

const restart: Episode = (shape, random, at) => {
  const stream = streamOf(shape, random);
  const again = random.chance(0.4)
    ? [
        {
          do: 'restart',
          stream,
          token: tokenOf(random),
          atMs: at + random.between(5, 3_000),
        } as const,
      ]
    : [];
  const forgotten = random.chance(0.3)
    ? [{ do: 'forgetRestarts', atMs: at + random.between(20, 4_000) } as const]
    : [];
  return [{ do: 'restart', stream, token: tokenOf(random), atMs: at }, ...again, ...forgotten];
};

/** A stream that fails, or is suspended for a while, is restarted. */
const troubled: Episode = (shape, random, at) => {
  const stream = streamOf(shape, random);
  const later = (most: number): number => at + random.between(50, most);
  const trouble: readonly Placed<Action>[] = random.chance(0.5)
    ? [
        { do: 'ail', stream, atMs: at },
        { do: 'heal', stream, atMs: later(8_000) },
      ]
    : [
        { do: 'suspend', stream, isSuspended: true, atMs: at },
        { do: 'suspend', stream, isSuspended: false, atMs: later(4_000) },
      ];
  return [...trouble, { do: 'restart', stream, token: tokenOf(random), atMs: later(4_000) }];
};

/** Most are recorded before anything else happens: a worker is asked every five seconds. */
const finish: Episode = (shape, random, at) => {
  const stream = `s${random.between(0, Math.max(0, shape.streams - 1))}`;
  const later = (most: number): number => at + random.between(50, most);
  return [
    { do: 'finish', stream, atMs: at },
    ...(random.chance(0.4)
      ? [{ do: 'restart', stream, token: tokenOf(random), atMs: later(15_000) } as const]
      : []),
    ...(random.chance(0.3)
      ? [{ do: 'suspend', stream, isSuspended: random.chance(0.7), atMs: later(12_000) } as const]
      : []),
    ...(random.chance(0.3) ? [{ do: 'finish', stream, atMs: later(20_000) } as const] : []),
    ...(random.chance(0.3)
      ? [
          {
            do: random.pick(['deletePod', 'forcePod'] as const),
            index: random.between(0, shape.workers),
            atMs: later(12_000),
          },
        ]
      : []),
  ];
};

export function withRestartEpisodes(story: Story, random: Random): Story {
  if (!random.chance(SHARE)) return story;
  const isOnce = random.chance(ONCE);
  const shape = { ...story.shape, ...(isOnce && { isOnce }) };
  const episodes = isOnce ? [finish, finish, finish, restart, troubled] : [restart, troubled];
  const happens = Array.from({ length: random.between(1, 3) }, () =>
    random.pick(episodes)(shape, random, random.between(0, LAST_MS)),
  ).flat();
  return { ...story, shape, actions: [...happens, ...story.actions] };
}
