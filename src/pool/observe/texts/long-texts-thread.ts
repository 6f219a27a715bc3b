// The thread on which long texts are read: a question comes, what the text says goes.
import { parentPort } from 'node:worker_threads';
import { readAssignment } from '../../../api/assignment.ts';
import { readStreamList } from '../../../api/stream-list.ts';
import type { ReadRequest } from './long-texts.ts';

parentPort?.on('message', ({ text, source }: ReadRequest) => {
  const started = performance.now();
  const value = source === undefined ? readAssignment(text) : readStreamList(text, source);
  parentPort?.postMessage({ value, workedMs: performance.now() - started });
});
