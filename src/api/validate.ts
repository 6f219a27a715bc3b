// Is this object one of our kinds as its CRD defines it?
import type {
  SwarmGroupSpec,
  SwarmGroupStatus,
  SwarmPoolSpec,
  SwarmPoolStatus,
} from './generated/types.ts';
import {
  validateSwarmGroupSpec,
  validateSwarmGroupStatus,
  validateSwarmPoolSpec,
  validateSwarmPoolStatus,
} from './generated/validators.cjs';
import type { OwnKindName } from './kinds.ts';
import type { KubeObject } from './objects.ts';
import { type OwnObject, parseOwnObject } from './own-object.ts';

export type {
  PoolStream,
  SwarmGroupSpec,
  SwarmGroupStatus,
  SwarmPoolSpec,
  SwarmPoolStatus,
} from './generated/types.ts';

/** By kind, what its CRD says of the spec, compiled. */
export const specValidators = {
  SwarmPool: validateSwarmPoolSpec,
  SwarmGroup: validateSwarmGroupSpec,
} as const satisfies Readonly<Record<OwnKindName, unknown>>;

/** How many streams a spec names, and how long it is as JSON. */
export type SpecSize = { readonly streams: number; readonly characters: number };

type OwnPool = OwnObject<SwarmPoolSpec, SwarmPoolStatus>;

export type SwarmPool = OwnPool & {
  /** Withheld: without its streams, for which there is no room in memory. */
  readonly spec: OwnPool['spec'] & { readonly withheld?: SpecSize };
};

export const parseSwarmPool = (object: KubeObject): SwarmPool =>
  parseOwnObject(object, validateSwarmPoolSpec, validateSwarmPoolStatus);

export type SwarmGroup = OwnObject<SwarmGroupSpec, SwarmGroupStatus>;

export const parseSwarmGroup = (object: KubeObject): SwarmGroup =>
  parseOwnObject(object, validateSwarmGroupSpec, validateSwarmGroupStatus);
