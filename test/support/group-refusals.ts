// Which SwarmGroups does the API server refuse, and with which messages? swarmctl validate refuses
// the same offline.
import type { Refused, Spec } from './refusals.ts';

const member = (more: object): Spec => ({ members: [{ kind: 'Deployment', name: 'a', ...more }] });

const ratio = (value: unknown): Spec => member({ ratio: value });

const policy = (more: object): Spec => ({ ...member({}), policy: { maxReplicas: 9, ...more } });

const metric = (more: object, rest: object = {}): Spec =>
  policy({ type: 'Prometheus', prometheus: { query: 'up', target: '100', ...more }, ...rest });

const day = { name: 'day', schedule: '0 8 * * *' };

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
    'kind DaemonSet needs an apiVersion; without one Deployment, StatefulSet and SwarmPool are allowed',
  ],
  [
    'a kind without the group of its apiVersion',
    { members: [{ apiVersion: 'v1', kind: 'ReplicationController', name: 'a' }] },
    'spec.members[0].apiVersion in body should match',
    'spec.members[0].apiVersion: must match pattern',
  ],
  [
    'two members of one name whose kinds have the same name',
    {
      members: [
        { apiVersion: 'example.org/v1', kind: 'Cell', name: 'a' },
        { apiVersion: 'other.org/v1', kind: 'Cell', name: 'a' },
      ],
    },
    'spec.members[1]: Duplicate value: {"kind":"Cell","name":"a"}',
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
    'policy.minReplicas (left out, 0 with Manual, else 1) is larger than policy.maxReplicas',
  ],
  [
    'maxReplicas of 0 where the policy decides',
    policy({ type: 'Random', random: { seed: 1 }, maxReplicas: 0 }),
    'policy.minReplicas (left out, 0 with Manual, else 1) is larger than policy.maxReplicas',
  ],
  [
    'a size beside a policy that decides it',
    { ...policy({ type: 'Random', random: { seed: 1 } }), replicas: 2 },
    'replicas is for policy.type Manual; with every other type the policy decides: leave replicas out, or as it was',
  ],
  [
    'a policy that decides, without maxReplicas',
    { ...member({}), policy: { type: 'Random', random: { seed: 1 } } },
    'policy.maxReplicas is required, unless policy.type is Manual',
  ],
  [
    'policy Random without a seed',
    policy({ type: 'Random' }),
    'policy.type Random needs policy.random',
  ],
  [
    'an empty policy.random',
    policy({ type: 'Random', random: {} }),
    'spec.policy.random.seed: Required value',
    "spec.policy.random: must have required property 'seed'",
  ],
  [
    'a seed with another policy',
    policy({ type: 'Schedule', random: { seed: 1 }, schedules: [{ ...day, replicas: 3 }] }),
    'policy.random is for policy.type Random, and the type is Schedule: leave it out',
  ],
  [
    'policy Prometheus without a query',
    policy({ type: 'Prometheus' }),
    'policy.type Prometheus needs policy.prometheus',
  ],
  [
    'a query with another policy',
    metric({}, { type: 'Manual' }),
    'policy.prometheus is for policy.type Prometheus, and the type is Manual: leave it out',
  ],
  [
    'an empty query',
    metric({ query: '' }),
    'spec.policy.prometheus.query in body should be at least 1 chars long',
    'spec.policy.prometheus.query: must NOT have fewer than 1 characters',
  ],
  [
    'a query of more than 4096 characters',
    metric({ query: 'x'.repeat(4097) }),
    'spec.policy.prometheus.query: Too long: may not be more than 4096 bytes',
    'spec.policy.prometheus.query: must NOT have more than 4096 characters',
  ],
  [
    'a target of 0',
    metric({ target: '0.0' }),
    "spec.policy.prometheus.target in body should match '^([1-9]",
    'spec.policy.prometheus.target: must match pattern',
  ],
  [
    'a target as a number',
    metric({ target: 100 }),
    'spec.policy.prometheus.target in body must be of type string: "integer"',
    'spec.policy.prometheus.target: must be string',
  ],
  [
    'a tolerance above 1',
    metric({ tolerance: '1.5' }),
    "spec.policy.prometheus.tolerance in body should match '^(0",
    'spec.policy.prometheus.tolerance: must match pattern',
  ],
  [
    'an address as a source',
    metric({ source: 'http://10.0.0.1' }),
    "spec.policy.prometheus.source in body should match '^[a-z0-9]",
    'spec.policy.prometheus.source: must match pattern',
  ],
  [
    'samples that are stale before the next one comes',
    metric({ staleAfterSeconds: 30 }),
    'policy.prometheus.staleAfterSeconds is less than policy.periodSeconds',
  ],
  [
    'policy Schedule without schedules',
    policy({ type: 'Schedule' }),
    'policy.type Schedule needs policy.schedules',
  ],
  [
    'a schedule that sets the size beside policy Manual',
    policy({ schedules: [{ ...day, replicas: 3 }] }),
    'policy.schedules have replicas with policy.type Schedule, and minReplicas or maxReplicas with every other type',
  ],
  [
    'a schedule that sets bounds with policy Schedule',
    policy({ type: 'Schedule', schedules: [{ ...day, minReplicas: 3 }] }),
    'policy.schedules have replicas with policy.type Schedule, and minReplicas or maxReplicas with every other type',
  ],
  [
    'a cron line of four fields',
    policy({ schedules: [{ name: 'day', schedule: '0 8 * *', minReplicas: 1 }] }),
    "spec.policy.schedules[0].schedule in body should match '^[0-9*,/-]+ +",
    'spec.policy.schedules[0].schedule: must match pattern',
  ],
  [
    'a time zone as an offset',
    policy({ schedules: [{ ...day, timeZone: '+01:00', minReplicas: 1 }] }),
    "spec.policy.schedules[0].timeZone in body should match '^[A-Za-z]",
    'spec.policy.schedules[0].timeZone: must match pattern',
  ],
  [
    'a schedule that sets nothing',
    policy({ schedules: [day] }),
    'a schedule has either replicas, or minReplicas, maxReplicas or both',
  ],
  [
    'a schedule that sets the size and its bounds',
    policy({ type: 'Schedule', schedules: [{ ...day, replicas: 3, minReplicas: 1 }] }),
    'a schedule has either replicas, or minReplicas, maxReplicas or both',
  ],
  [
    'minReplicas of a schedule above its maxReplicas',
    policy({ schedules: [{ ...day, minReplicas: 3, maxReplicas: 1 }] }),
    'policy.schedules: minReplicas is larger than maxReplicas; what a schedule leaves out is that of the policy',
  ],
  [
    'minReplicas of a schedule above the maxReplicas of the policy',
    policy({ schedules: [{ ...day, minReplicas: 10 }] }),
    'policy.schedules: minReplicas is larger than maxReplicas; what a schedule leaves out is that of the policy',
  ],
  [
    'a schedule twice',
    policy({
      schedules: [
        { ...day, minReplicas: 1 },
        { ...day, minReplicas: 2 },
      ],
    }),
    'spec.policy.schedules[1]: Duplicate value: {"name":"day"}',
  ],
  [
    'a period of a second',
    policy({ periodSeconds: 1 }),
    'spec.policy.periodSeconds in body should be greater than or equal to 5',
    'spec.policy.periodSeconds: must be >= 5',
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
