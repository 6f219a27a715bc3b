// What has become of a size that was asked for, by what the operator says?
import { expect, it } from '@jest/globals';
import { outcomeOf, type SizeOutcome } from '../../../../src/cli/experiment/outcome.ts';
import { condition, ready, swarmGroup } from '../group-object.ts';

const working = condition('Ready', 'False', 'Working', 'web Scaling');
const stalled = condition('Stalled', 'True', 'TransitionTimedOut');
const transition = (state: string, rest: object = {}): object => ({
  state,
  from: 1,
  to: 3,
  reason: 'SizeChanged',
  requestTime: '2026-01-01T00:00:00Z',
  ...rest,
});
const backingOff = condition('Ready', 'False', 'BackingOff', 'size 3 was not reached');

it.each<[what: string, status: object | undefined, outcome: Partial<SizeOutcome> & object]>([
  ['no operator has looked', undefined, { is: 'awaited' }],
  [
    'the last change is not seen yet',
    { observedGeneration: 0, replicas: 3, transition: transition('Completed') },
    { is: 'awaited' },
  ],
  [
    'it is on its way',
    { conditions: [working], transition: transition('Scaling') },
    { is: 'awaited' },
  ],
  [
    'it goes back',
    { conditions: [working, stalled], transition: transition('RollingBack') },
    { is: 'awaited' },
  ],
  [
    'another size was the last',
    { transition: transition('Completed', { to: 1 }) },
    { is: 'awaited' },
  ],
  ['it was reached', { transition: transition('Completed') }, { is: 'reached' }],
  [
    'nothing had to be scaled',
    { replicas: 3, transition: transition('Completed', { to: 2 }) },
    { is: 'reached', transition: undefined },
  ],
  [
    'it timed out',
    {
      conditions: [condition('Ready', 'False', 'TransitionTimedOut', 'web'), stalled],
      transition: transition('TimedOut'),
    },
    { is: 'failed', why: 'TimedOut: TransitionTimedOut: web' },
  ],
  [
    'it was rolled back',
    { conditions: [backingOff], transition: transition('RolledBack') },
    { is: 'failed', why: 'RolledBack: BackingOff: size 3 was not reached' },
  ],
  [
    'it is not tried, since it failed before',
    { conditions: [backingOff], transition: transition('Completed', { to: 1 }) },
    { is: 'failed', why: 'BackingOff: size 3 was not reached' },
  ],
  [
    'the group is blocked',
    {
      conditions: [
        condition('Ready', 'False', 'TooManyMembers', '101'),
        condition('Stalled', 'True', 'TooManyMembers', '101'),
      ],
    },
    { is: 'failed', why: 'TooManyMembers: 101' },
  ],
  [
    'a schedule has lowered the bounds meanwhile',
    {
      replicas: 2,
      conditions: [ready, condition('Limited', 'True', 'AtMaximum', 'the size would be 3')],
      transition: transition('Completed', { to: 2 }),
    },
    { is: 'failed', why: 'AtMaximum: the size would be 3' },
  ],
  [
    'a member was taken by an autoscaler',
    {
      conditions: [
        condition('Ready', 'False', 'AutoscalerConflict', 'web'),
        condition('Conflicted', 'True', 'AutoscalerConflict', 'web'),
      ],
      transition: transition('Completed'),
    },
    { is: 'disturbed', why: 'AutoscalerConflict: web' },
  ],
  [
    'a member was scaled by hand in between',
    { transition: transition('Completed', { reason: 'MemberChanged' }) },
    { is: 'disturbed', why: 'a member was changed during the transition, and scaled again' },
  ],
  [
    'it was reached though a member that shrank is not ready',
    {
      conditions: [condition('Ready', 'False', 'MembersUnready', 'web'), ready],
      transition: transition('Completed'),
    },
    { is: 'reached' },
  ],
])('outcomeOf gives the outcome of a size when %s', (_, status, outcome) =>
  expect(outcomeOf(swarmGroup({ status }), 3)).toMatchObject(outcome),
);
