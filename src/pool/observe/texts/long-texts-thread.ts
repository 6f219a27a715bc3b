// The thread that parses long texts: a request comes in, the parsed text goes out.
import { parentPort } from 'node:worker_threads';
import { readAssignment } from '../../../api/assignment.ts';
import { readStreamList } from '../../../api/stream-list.ts';
import type { ReadRequest } from './long-texts.ts';

parentPort?.on('message', ({ text, source }: ReadRequest) => {
  const started = performance.now();
  const value = source === undefined ? readAssignment(text) : readStreamList(text, source);
  parentPort?.postMessage({ value, workedMs: performance.now() - started });
});
