// Is this object a SwarmPool as its CRD defines it?
import type { SwarmPoolSpec, SwarmPoolStatus } from './generated/types.ts';
import { validateSwarmPoolSpec, validateSwarmPoolStatus } from './generated/validators.cjs';
import type { KubeObject } from './objects.ts';
import { type OwnObject, parseOwnObject } from './own-object.ts';

export type { PoolStream, SwarmPoolSpec, SwarmPoolStatus } from './generated/types.ts';

/** How many streams a spec names, and how long it is as JSON. */
export type SpecSize = { readonly streams: number; readonly characters: number };

type OwnPool = OwnObject<SwarmPoolSpec, SwarmPoolStatus>;

export type SwarmPool = OwnPool & {
  /** Withheld: without its streams, for which there is no room in memory. */
  readonly spec: OwnPool['spec'] & { readonly withheld?: SpecSize };
};

export const parseSwarmPool = (object: KubeObject): SwarmPool =>
  parseOwnObject(object, validateSwarmPoolSpec, validateSwarmPoolStatus);
