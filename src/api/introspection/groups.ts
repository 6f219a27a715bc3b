// Which fields does introspection show of groups?
import { condition, decided } from './decided.ts';
import {
  type Described,
  list,
  number,
  object,
  oneOf,
  page,
  pageOf,
  text,
  whole,
  yes,
} from './schema.ts';

const transitionStates = [
  'Scaling',
  'RollingBack',
  'Completed',
  'TimedOut',
  'RolledBack',
  'Superseded',
] as const;

const summary = {
  namespace: text('Namespace of the group.'),
  name: text('Its name.'),
  'size?': whole('The current size of its members. Absent: none yet.'),
  'desiredSize?': whole(
    'The wanted size, within its bounds. Absent: no size is set, or the operator cannot decide.',
  ),
  'policy?': text('What sets the size: `policy.type`.'),
  'order?': oneOf(['Together', 'Staged'], 'The order in which its members are scaled.'),
  desiredMembers: whole('Members that it names or selects.'),
  readyMembers: whole('Members that have their wanted size and are ready.'),
  desiredReplicas: whole('Wanted replicas of all members.'),
  readyReplicas: whole('Number of these that are ready. Surplus replicas do not count.'),
  'state?': oneOf(transitionStates, 'State of the current transition, or of the last one.'),
  isReady: yes('Every member has its wanted size and is ready.'),
  isStalled: yes('The operator cannot continue until a user acts.'),
  isPaused: yes('The group is paused.'),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const group = object('A group in brief.', summary);

const milliseconds = {
  total: whole('Until the last member was ready.'),
  patch: whole("Until the API server had accepted the last member's new size."),
};

const memberTimes = object('A member that was scaled.', {
  kind: text('Its kind.'),
  name: text('Its name.'),
  'patchMilliseconds?': whole('Until the API server had accepted its new size.'),
  'readyMilliseconds?': whole('Until it was ready.'),
});

const transition = object('As in status: the current transition, or the last one.', {
  state: oneOf(
    transitionStates,
    'Scaling and RollingBack: in progress. Otherwise the transition has ended.',
  ),
  from: whole('The size before the transition.'),
  to: whole('The size that it scales to.'),
  'stage?': whole('With order Staged, the current stage.'),
  reason: text('The cause.'),
  requestTime: text('When the operator saw the request.'),
  'finishTime?': text('When the transition ended.'),
  'message?': text('The members that were not ready when it timed out.'),
  'times?': object('Durations by the clock of one leader. Absent: not measured.', {
    'totalMilliseconds?': milliseconds.total,
    'patchMilliseconds?': milliseconds.patch,
    'members?': list(memberTimes, 'By member.'),
  }),
});

const ended = object('A transition that has ended.', {
  from: whole('The size before the transition.'),
  to: whole('The size that it scaled to.'),
  outcome: oneOf(['Completed', 'TimedOut', 'RolledBack', 'Superseded']),
  reason: text('The cause.'),
  requestTime: text('When the operator saw the request.'),
  'totalMilliseconds?': milliseconds.total,
  'patchMilliseconds?': milliseconds.patch,
  'slowest?': text('The member that was ready last, such as Deployment/web.'),
});

const member = object('A member.', {
  kind: text('Its kind.'),
  name: text('Its name.'),
  'stage?': whole('With order Staged, its stage.'),
  'desired?': whole('Its wanted replicas now. Absent: the group has no size yet.'),
  'replicas?': whole('The replicas in its spec. Absent: the member does not exist.'),
  'ready?': whole('Its ready replicas. Absent: the member does not exist.'),
  state: oneOf(
    ['Ready', 'Scaling', 'Waiting', 'Unready', 'Missing', 'Conflicted', 'Refused'],
    'It has its wanted size and is ready; it is scaling; it is waiting for an earlier stage; it has its wanted size, but some replicas are not ready; it does not exist; an autoscaler, a pool, an older group or a user scales it; it cannot be scaled.',
  ),
  'message?': text('Why it is in that state.'),
});

export const groupSchemas = {
  Group: group,
  GroupDetail: object('A group at its last observation, and the last decision.', {
    ...summary,
    asOf: text('When it was observed.'),
    generation: whole('Generation of the spec.'),
    'timeoutSeconds?': whole('How long a member may take without progress.'),
    'onTimeout?': oneOf(['Keep', 'Rollback'], 'What the operator does after timeoutSeconds.'),
    'proposal?': object('The proposal of the policy.', {
      replicas: whole('The size that it proposes.'),
      reason: text('One word in CamelCase.'),
      'message?': text(
        'A sentence; while the group is paused, it also says what the operator would do.',
      ),
    }),
    'metricValue?': number(
      'The last value of policy.prometheus.query. Absent: there is no value, or no query.',
    ),
    members: list(member, 'In the order of the spec, or by kind and name. At most 100.'),
    'transition?': transition,
    history: list(ended, 'The last 20 transitions, newest first.'),
    'times?': object('Durations of the completed and measured transitions in history.', {
      count: whole('Number of transitions.'),
      'p50Milliseconds?': whole('Median.'),
      'maxMilliseconds?': whole('The longest.'),
    }),
    conditions: list(condition, 'As in status.'),
    decision: object('What the operator last decided.', decided('nothing is to be written now')),
  }),
  Groups: object(page, {
    leading: yes('False: only the leader knows groups, and this replica is not the leader.'),
    ...pageOf<Group>('Group'),
  }),
};

export type Group = Described<typeof group>;
export type GroupMember = Described<typeof member>;
export type EndedTransition = Described<typeof ended>;
export type GroupDetail = Described<typeof groupSchemas.GroupDetail>;
export type ShownGroups = Described<typeof groupSchemas.Groups>;
