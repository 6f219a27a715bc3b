// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.
import type { ErrorObject } from 'ajv';
import type { SwarmGroupSpec, SwarmGroupStatus, SwarmJobSpec, SwarmJobStatus, SwarmPoolSpec, SwarmPoolStatus, SwarmQueueSpec, SwarmQueueStatus, PoolStream } from './types.ts';

type Validator<T> = { (data: unknown): data is T; errors?: ErrorObject[] | null };
export declare const validateSwarmGroupSpec: Validator<SwarmGroupSpec>;
export declare const validateSwarmGroupStatus: Validator<SwarmGroupStatus>;
export declare const validateSwarmJobSpec: Validator<SwarmJobSpec>;
export declare const validateSwarmJobStatus: Validator<SwarmJobStatus>;
export declare const validateSwarmPoolSpec: Validator<SwarmPoolSpec>;
export declare const validateSwarmPoolStatus: Validator<SwarmPoolStatus>;
export declare const validateSwarmQueueSpec: Validator<SwarmQueueSpec>;
export declare const validateSwarmQueueStatus: Validator<SwarmQueueStatus>;
export declare const validatePoolStream: Validator<PoolStream>;
