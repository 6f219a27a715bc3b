// Is this object one of our kinds as its CRD defines it?
import { cronProblem } from './cron.ts';
import type {
  SwarmGroupSpec,
  SwarmGroupStatus,
  SwarmJobSpec,
  SwarmJobStatus,
  SwarmPoolSpec,
  SwarmPoolStatus,
  SwarmQueueSpec,
  SwarmQueueStatus,
} from './generated/types.ts';
import {
  validateSwarmGroupSpec,
  validateSwarmGroupStatus,
  validateSwarmJobSpec,
  validateSwarmJobStatus,
  validateSwarmPoolSpec,
  validateSwarmPoolStatus,
  validateSwarmQueueSpec,
  validateSwarmQueueStatus,
} from './generated/validators.cjs';
import type { OwnKindName } from './kinds.ts';
import type { KubeObject } from './objects.ts';
import { type OwnObject, type Problem, parseOwnObject } from './own-object.ts';

export type {
  PoolStream,
  SwarmGroupSpec,
  SwarmGroupStatus,
  SwarmJobSpec,
  SwarmJobStatus,
  SwarmPoolSpec,
  SwarmPoolStatus,
  SwarmQueueSpec,
  SwarmQueueStatus,
} from './generated/types.ts';

/** The compiled validator of each kind's spec. */
export const specValidators = {
  SwarmPool: validateSwarmPoolSpec,
  SwarmGroup: validateSwarmGroupSpec,
  SwarmQueue: validateSwarmQueueSpec,
  SwarmJob: validateSwarmJobSpec,
} as const satisfies Readonly<Record<OwnKindName, unknown>>;

/** The number of streams in a spec, and its length as JSON. */
export type SpecSize = { readonly streams: number; readonly characters: number };

type OwnPool = OwnObject<SwarmPoolSpec, SwarmPoolStatus>;

export type SwarmPool = OwnPool & {
  /** Withheld: kept without its streams, for which there is no room in memory. */
  readonly spec: OwnPool['spec'] & { readonly withheld?: SpecSize };
};

export const parseSwarmPool = (object: KubeObject): SwarmPool =>
  parseOwnObject(object, validateSwarmPoolSpec, validateSwarmPoolStatus);

export type SwarmGroup = OwnObject<SwarmGroupSpec, SwarmGroupStatus>;

export function parseSwarmGroup(object: KubeObject): SwarmGroup {
  const group = parseOwnObject(object, validateSwarmGroupSpec, validateSwarmGroupStatus);
  const [problem] = group.spec.ok ? scheduleProblems(group.spec.value) : [];
  return problem === undefined ? group : { ...group, spec: { ok: false, problems: [problem] } };
}

/** Problems of cron lines and time zones, one after the other: no schema can check them. */
export function* scheduleProblems({
  policy: { schedules = [] },
}: SwarmGroupSpec): Generator<Problem> {
  for (const [index, line] of schedules.entries()) {
    const problem = cronProblem(line, `spec.policy.schedules[${index}]`);
    if (problem !== undefined) yield problem;
  }
}

export type SwarmQueue = OwnObject<SwarmQueueSpec, SwarmQueueStatus>;

export const parseSwarmQueue = (object: KubeObject): SwarmQueue =>
  parseOwnObject(object, validateSwarmQueueSpec, validateSwarmQueueStatus);

/** The fields that slim-job.ts adds. `tooLarge` names the fields that are not read, and why. */
export type SlimJob = {
  readonly isSlim?: boolean;
  readonly isWithheld?: boolean;
  readonly tooLarge?: string;
};

export type SwarmJob = OwnObject<SwarmJobSpec, SwarmJobStatus> & {
  /** The spec has only the fields that are read while the job waits and runs (slim-job.ts). */
  readonly isWithheld?: boolean;
};

export function parseSwarmJob(object: KubeObject): SwarmJob {
  const job = parseOwnObject(object, validateSwarmJobSpec, validateSwarmJobStatus);
  const { isWithheld, tooLarge } = object as SlimJob;
  if (tooLarge !== undefined)
    return { ...job, spec: { ok: false, problems: [{ field: 'spec', message: tooLarge }] } };
  return isWithheld === true ? { ...job, isWithheld } : job;
}
