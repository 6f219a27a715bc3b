// What does introspection tell of groups?
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
  namespace: text('Where the group is.'),
  name: text('Its name.'),
  'size?': whole('The size that its members have. Left out: none yet.'),
  'desiredSize?': whole(
    'The size that is wanted, within its bounds. Left out: nothing says so, or nothing can be decided.',
  ),
  'policy?': text('What decides the size: `policy.type`.'),
  'order?': oneOf(['Together', 'Staged'], 'In which order its members are scaled.'),
  desiredMembers: whole('Members that it names or selects.'),
  readyMembers: whole('Members that have their size and are ready.'),
  desiredReplicas: whole('Replicas that its members are to have.'),
  readyReplicas: whole('How many of these are ready. What a member has beyond does not count.'),
  'state?': oneOf(transitionStates, 'State of the transition under way, or of the last one.'),
  isReady: yes('Every member has its size and is ready.'),
  isStalled: yes('Nothing will happen until a user changes something.'),
  isPaused: yes('Nothing is touched.'),
  reason: text('Reason of the condition Stalled if it is True, else of Ready.'),
  message: text('Message of the same condition.'),
};

const group = object('A group in short.', summary);

const milliseconds = {
  total: whole('Until the last member was ready.'),
  patch: whole("Until the last member's new size was accepted."),
};

const memberTimes = object('One member that changed its size.', {
  kind: text('Its kind.'),
  name: text('Its name.'),
  'patchMilliseconds?': whole('Until its new size was accepted.'),
  'readyMilliseconds?': whole('Until it was ready.'),
});

const transition = object('As in status: the transition under way, or the last one.', {
  state: oneOf(transitionStates, 'Scaling and RollingBack are under way.'),
  from: whole('The size that was last reached.'),
  to: whole('The size that it goes to.'),
  'stage?': whole('With order Staged, the stage under way.'),
  reason: text('What brought it about.'),
  requestTime: text('When the operator saw the request.'),
  'finishTime?': text('When it ended.'),
  'message?': text('The members that were not ready when it timed out.'),
  'times?': object('How long it took, by the clock of one leader. Left out: it is not measured.', {
    'totalMilliseconds?': milliseconds.total,
    'patchMilliseconds?': milliseconds.patch,
    'members?': list(memberTimes, 'By member.'),
  }),
});

const ended = object('A transition that has ended.', {
  from: whole('The size at which the group was before.'),
  to: whole('The size that it went to.'),
  outcome: oneOf(['Completed', 'TimedOut', 'RolledBack', 'Superseded']),
  reason: text('What brought it about.'),
  requestTime: text('When the operator saw the request.'),
  'totalMilliseconds?': milliseconds.total,
  'patchMilliseconds?': milliseconds.patch,
  'slowest?': text('The member that was ready last, such as Deployment/web.'),
});

const member = object('A member.', {
  kind: text('Its kind.'),
  name: text('Its name.'),
  'stage?': whole('With order Staged, its place in the order.'),
  'desired?': whole('The replicas that it is to have now. Left out: the group has no size yet.'),
  'replicas?': whole('The replicas that its spec asks for. Left out: it is not there.'),
  'ready?': whole('Its replicas that are ready. Left out: it is not there.'),
  state: oneOf(
    ['Ready', 'Scaling', 'Waiting', 'Unready', 'Missing', 'Conflicted', 'Refused'],
    'It has its size and is ready; it is on its way; an earlier stage comes first; it has its size, and some replicas are not ready; it is not there; an autoscaler, a pool, an older group or a user scales it; it cannot be scaled.',
  ),
  'message?': text('Why it is in that state.'),
});

export const groupSchemas = {
  Group: group,
  GroupDetail: object('A group as it was last observed, and what was decided.', {
    ...summary,
    asOf: text('When it was observed.'),
    generation: whole('Generation of the spec.'),
    'timeoutSeconds?': whole('How long a member may make no progress.'),
    'onTimeout?': oneOf(['Keep', 'Rollback'], 'What happens then.'),
    'proposal?': object('What the policy says.', {
      replicas: whole('The size that it proposes.'),
      reason: text('In one word.'),
      'message?': text('In a sentence; while the group is paused, also what would be done.'),
    }),
    'metricValue?': number(
      'What the query of policy.prometheus gave last. Left out: it gave no number, or none is asked for.',
    ),
    members: list(member, 'In the order of the spec, or by kind and name. At most 100.'),
    'transition?': transition,
    history: list(ended, 'The last 20 transitions, the newest first.'),
    'times?': object('Of the transitions in history that were completed and measured.', {
      count: whole('How many.'),
      'p50Milliseconds?': whole('Half took no longer.'),
      'maxMilliseconds?': whole('The longest.'),
    }),
    conditions: list(condition, 'As in status.'),
    decision: object(
      'What the operator last decided.',
      decided('all is as it should be, or members have to get ready first'),
    ),
  }),
  Groups: object(page, {
    leading: yes('False: this replica knows no groups, the one that leads does.'),
    ...pageOf<Group>('Group'),
  }),
};

export type Group = Described<typeof group>;
export type GroupMember = Described<typeof member>;
export type EndedTransition = Described<typeof ended>;
export type GroupDetail = Described<typeof groupSchemas.GroupDetail>;
export type ShownGroups = Described<typeof groupSchemas.Groups>;
