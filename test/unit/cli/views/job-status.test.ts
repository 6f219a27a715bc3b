// What does `swarmctl job status` say that a job holds?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { parseSwarmJob } from '../../../../src/api/validate.ts';
import { jobLines } from '../../../../src/cli/views/job-status.ts';
import { jobObject, statusAt } from '../job-object.ts';

it.each([
  [{ pods: '1' }, 'holds 1 pod'],
  [{ pods: '3', cpu: '1500m' }, 'holds 3 pods and 1500m cpu'],
])('job status of a job that was admitted for %j says that it %s', (requests, holds) => {
  const admission = { queue: 'batch', size: 1, requests, time: '2026-01-01T00:00:00Z' };
  const status = statusAt('Running', 'AllRanksRunning', '1 of 1 rank runs', { admission });
  const object = jobObject({ spec: { size: 1 }, status }) as KubeObject;
  const [, facts] = jobLines(parseSwarmJob(object), {}, 80, 0);
  expect(facts).toBe(`SwarmQueue batch, 0 of 1 rank ready, ${holds}`);
});
