// What does an operator answer about a group?
import type { Group, GroupDetail, GroupMember } from '../../../src/api/introspection/groups.ts';

export const group = (rest: Partial<Group> = {}): Group => ({
  namespace: 'teastore',
  name: 'shop',
  size: 3,
  desiredSize: 3,
  policy: 'Manual',
  order: 'Staged',
  desiredMembers: 7,
  readyMembers: 7,
  desiredReplicas: 19,
  readyReplicas: 19,
  state: 'Completed',
  isReady: true,
  isStalled: false,
  isPaused: false,
  reason: 'AllReady',
  message: '7 members ready at size 3',
  ...rest,
});

export const member = (name: string, rest: Partial<GroupMember> = {}): GroupMember => ({
  kind: 'Deployment',
  name,
  desired: 3,
  replicas: 3,
  ready: 3,
  state: 'Ready',
  ...rest,
});

export const detail = (
  members: readonly GroupMember[] = [],
  rest: Partial<GroupDetail> = {},
): GroupDetail => ({
  ...group(),
  asOf: '',
  generation: 1,
  members,
  history: [],
  conditions: [],
  decision: { steps: { total: 0, first: [] } },
  ...rest,
});

export type Transition = NonNullable<GroupDetail['transition']>;

export const now = Date.parse('2026-01-01T00:10:00Z');

export const transition = (rest: Partial<Transition> = {}): Transition => ({
  state: 'Scaling',
  from: 1,
  to: 3,
  reason: 'SizeChanged',
  requestTime: '2026-01-01T00:09:48Z',
  ...rest,
});
