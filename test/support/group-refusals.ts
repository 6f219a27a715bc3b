// Which SwarmGroups does the API server refuse, and with which messages? swarmctl validate refuses
// the same offline.
import type { Refused, Spec } from './refusals.ts';

const member = (more: object): Spec => ({ members: [{ kind: 'Deployment', name: 'a', ...more }] });

const ratio = (value: unknown): Spec => member({ ratio: value });

/** Merged into nothing: each row is a whole spec. */
export const groupRefusals: readonly Refused[] = [
  [
    'neither members nor a selector',
    {},
    'the group has no members: give one of members and selector.matchLabels',
  ],
  [
    'both members and a selector',
    { ...member({}), selector: { matchLabels: { app: 'a' } } },
    'the group has both members and selector: leave one of them out',
  ],
  [
    'a member twice',
    {
      members: [
        { kind: 'Deployment', name: 'a' },
        { kind: 'Deployment', name: 'a' },
      ],
    },
    'spec.members[1]: Duplicate value: {"kind":"Deployment","name":"a"}',
  ],
  [
    'an empty list of members',
    { members: [] },
    'spec.members in body should have at least 1 items',
    'spec.members: must NOT have fewer than 1 items',
  ],
  [
    'a kind that has no scale',
    { members: [{ kind: 'DaemonSet', name: 'a' }] },
    'spec.members[0].kind: Unsupported value: "DaemonSet"',
    'spec.members[0].kind: must be equal to one of the allowed values',
  ],
  [
    'a ratio of 0',
    ratio(0),
    'spec.members[0].ratio in body should be greater than or equal to 1',
    'spec.members[0].ratio: must be >= 1',
  ],
  [
    'a ratio of 0 as text',
    ratio('0.0'),
    "spec.members[0].ratio in body should match '^(1000",
    'spec.members[0].ratio: must match pattern',
  ],
  [
    'a negative ratio',
    ratio(-1),
    'spec.members[0].ratio in body should be greater than or equal to 1',
    'spec.members[0].ratio: must be >= 1',
  ],
  [
    'a ratio in words',
    ratio('two'),
    "spec.members[0].ratio in body should match '^(1000",
    'spec.members[0].ratio: must match pattern',
  ],
  [
    'a ratio above 1000',
    { ...member({}), memberDefaults: { ratio: 1001 } },
    'spec.memberDefaults.ratio in body should be less than or equal to 1000',
    'spec.memberDefaults.ratio: must be <= 1000',
  ],
  [
    'a stage above 99',
    member({ stage: 100 }),
    'spec.members[0].stage in body should be less than or equal to 99',
    'spec.members[0].stage: must be <= 99',
  ],
  [
    'minReplicas of a member above its maxReplicas',
    member({ minReplicas: 3, maxReplicas: 2 }),
    'members: minReplicas of a member is larger than its maxReplicas',
  ],
  [
    'minReplicas of a member above the maxReplicas of all',
    { ...member({ minReplicas: 3 }), memberDefaults: { maxReplicas: 2 } },
    'members: minReplicas of a member is larger than its maxReplicas',
  ],
  [
    'minReplicas of all above their maxReplicas',
    { ...member({ maxReplicas: 9 }), memberDefaults: { minReplicas: 3, maxReplicas: 2 } },
    'memberDefaults.minReplicas is larger than memberDefaults.maxReplicas',
  ],
  [
    'minReplicas of the group above its maxReplicas',
    { ...member({}), policy: { minReplicas: 3, maxReplicas: 2 } },
    'policy.minReplicas is larger than policy.maxReplicas',
  ],
  [
    'an unknown policy',
    { ...member({}), policy: { type: 'Magic' } },
    'spec.policy.type: Unsupported value: "Magic"',
    'spec.policy.type: must be equal to one of the allowed values',
  ],
  [
    'a size below 0',
    { ...member({}), replicas: -1 },
    'spec.replicas in body should be greater than or equal to 0',
    'spec.replicas: must be >= 0',
  ],
  [
    'no time for a transition',
    { ...member({}), transition: { timeoutSeconds: 0 } },
    'spec.transition.timeoutSeconds in body should be greater than or equal to 1',
    'spec.transition.timeoutSeconds: must be >= 1',
  ],
];
