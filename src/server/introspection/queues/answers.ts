// What is answered about one queue?
import { type IntrospectionAnswer, nothing, ok } from '../answer.ts';
import { queueDetailOf } from './detail.ts';
import type { QueueSnapshot } from './summary.ts';

export const answerOfQueue = (
  snapshot: QueueSnapshot,
  path: readonly string[],
): IntrospectionAnswer => (path.length === 0 ? ok(queueDetailOf(snapshot)) : nothing());
