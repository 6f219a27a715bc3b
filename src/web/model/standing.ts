// How is a pool or a group doing, in one word, and why if all is not well?
import type { Tone } from './blocks.ts';

export type Standing = { readonly tone: Tone; readonly word: string; readonly why: string };

export const standing = (tone: Tone, word: string, why: string): Standing => ({ tone, word, why });

/** An obstacle that keeps the operator from deciding is the best reason. */
export const withObstacle = (
  it: Standing,
  obstacle: { readonly reason: string; readonly message: string } | undefined,
): Standing =>
  obstacle === undefined ? it : { ...it, why: `${obstacle.reason}: ${obstacle.message}` };
