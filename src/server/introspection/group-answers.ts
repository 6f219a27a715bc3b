// What is answered about one group?
import { type IntrospectionAnswer, nothing, ok } from './answer.ts';
import { type GroupSnapshot, groupDetailOf } from './groups.ts';

export const answerOfGroup = (
  snapshot: GroupSnapshot,
  path: readonly string[],
): IntrospectionAnswer => (path.length === 0 ? ok(groupDetailOf(snapshot)) : nothing());
