// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.
import type { ErrorObject } from 'ajv';
import type { SwarmGroupSpec, SwarmGroupStatus, SwarmPoolSpec, SwarmPoolStatus, PoolStream } from './types.ts';

type Validator<T> = { (data: unknown): data is T; errors?: ErrorObject[] | null };
export declare const validateSwarmGroupSpec: Validator<SwarmGroupSpec>;
export declare const validateSwarmGroupStatus: Validator<SwarmGroupStatus>;
export declare const validateSwarmPoolSpec: Validator<SwarmPoolSpec>;
export declare const validateSwarmPoolStatus: Validator<SwarmPoolStatus>;
export declare const validatePoolStream: Validator<PoolStream>;
