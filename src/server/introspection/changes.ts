// What does a decision move? Of what could be long, the first, and how many there are.
import type { Move } from '../../core/pool/publish.ts';

const SHOWN = 100;

export type First<T> = { readonly total: number; readonly first: readonly T[] };

export const firstOf = <T>(all: readonly T[], most = SHOWN): First<T> => ({ total: all.length, first: all.slice(0, most) });

export type LastChange = { readonly version: number; readonly reason: string; readonly moves: First<Move> };
