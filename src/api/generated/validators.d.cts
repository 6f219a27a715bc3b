// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.
import type { ErrorObject } from 'ajv';
import type { SwarmPoolSpec, SwarmPoolStatus } from './types.ts';

type Validator<T> = { (data: unknown): data is T; errors?: ErrorObject[] | null };
export declare const validateSwarmPoolSpec: Validator<SwarmPoolSpec>;
export declare const validateSwarmPoolStatus: Validator<SwarmPoolStatus>;
