// Which SwarmPools does the API server refuse, and with which messages? swarmctl validate refuses
// the same offline.
export type Spec = Readonly<Record<string, unknown>>;

/** `offline`: the message of swarmctl, where a schema error is worded differently. */
export type Refused = readonly [title: string, spec: Spec, message: string, offline?: string];

export const specOf = (target: string, spec: Spec): Spec => ({
  streams: [{ name: 'a' }],
  workers: { targetRef: { name: target } },
  ...spec,
});

const exclusive = { handoff: { type: 'Exclusive' } };
const workers = (more: object): Spec => ({ workers: { targetRef: { name: 'nobody' }, ...more } });
const deployment = { workers: { targetRef: { kind: 'Deployment', name: 'x' } } };
const many = Array.from({ length: 2_001 }, (_, index) => ({ name: `s${index}` }));

export const refusals: readonly Refused[] = [
  [
    'a name twice',
    { streams: [{ name: 'a' }, { name: 'a' }] },
    'spec.streams[1]: Duplicate value: {"name":"a"}',
  ],
  [
    'an empty name',
    { streams: [{ name: '' }] },
    'spec.streams[0].name in body should be at least 1 chars long',
    'spec.streams[0].name: must NOT have fewer than 1 characters',
  ],
  [
    'a weight below 0',
    { streams: [{ name: 'a', weight: -1 }] },
    'spec.streams[0].weight in body should be greater than or equal to 0',
    'spec.streams[0].weight: must be >= 0 (found -1)',
  ],
  [
    'half a weight',
    { streams: [{ name: 'a', weight: 0.5 }] },
    'spec.streams[0].weight in body must be of type integer',
    'spec.streams[0].weight: must be integer (found 0.5)',
  ],
  [
    'a pin below 0',
    { streams: [{ name: 'a', ordinal: -1 }] },
    'spec.streams[0].ordinal in body should be greater than or equal to 0',
    'spec.streams[0].ordinal: must be >= 0',
  ],
  [
    'a parameter with a name that JSON escapes',
    { streams: [{ name: 'a', parameters: { 'a"b': 'x' } }] },
    "spec.streams[0].parameters: Invalid value: the name of a parameter has 1 to 253 letters, digits, '-', '_' and '.'",
    "spec.streams[0].parameters: the name of a parameter has 1 to 253 letters, digits, '-', '_' and '.'",
  ],
  [
    'too many streams',
    { streams: many },
    'spec.streams: Too many: 2001: must have at most 2000 items',
    'spec.streams: must NOT have more than 2000 items',
  ],
  [
    'a field that does not exist',
    { streemsFrom: [] },
    'unknown field "spec.streemsFrom"',
    'spec.streemsFrom: unknown field; did you mean streamsFrom?',
  ],
  [
    'no target',
    { workers: {} },
    'workers names no pods: give one of selector.matchLabels and targetRef.name',
  ],
  [
    'two ways to name the target',
    workers({ selector: { matchLabels: { a: 'b' } } }),
    'workers has both selector and targetRef: leave one of them out',
  ],
  [
    'two kinds of target',
    workers({ kind: 'Deployment' }),
    'workers.kind is Deployment, workers.targetRef.kind is StatefulSet',
  ],
  ['replicas without Lead', workers({ replicas: 3 }), 'workers.replicas is for scaling: Lead'],
  [
    'replicas with Auto',
    workers({ scaling: 'Auto', maxReplicas: 4, replicas: 3 }),
    'workers.replicas is for scaling: Lead',
  ],
  [
    'Auto without maxReplicas',
    workers({ scaling: 'Auto', minReplicas: 1 }),
    'workers.scaling: Auto needs workers.maxReplicas',
  ],
  [
    'maxReplicas without Auto',
    workers({ scaling: 'Lead', maxReplicas: 4 }),
    'workers.minReplicas and workers.maxReplicas are for scaling: Auto',
  ],
  [
    'minReplicas above maxReplicas',
    workers({ scaling: 'Auto', minReplicas: 5, maxReplicas: 4 }),
    'workers.minReplicas is larger than workers.maxReplicas',
  ],
  [
    'an unknown choice',
    workers({ scaling: 'Push' }),
    'Unsupported value: "Push": supported values: "Follow", "Lead", "Auto"',
    'spec.workers.scaling: must be equal to one of the allowed values: ["Follow","Lead","Auto"] (found "Push")',
  ],
  [
    'no capacity',
    workers({ capacity: 0 }),
    'spec.workers.capacity in body should be greater than or equal to 1',
    'spec.workers.capacity: must be >= 1',
  ],
  [
    'a key that is a path',
    { assignments: { key: 'a/b' } },
    'assignments.key is the name of a file',
  ],
  [
    'a key that is a folder',
    { assignments: { key: '..' } },
    'assignments.key is the name of a file',
  ],
  [
    'no shard',
    { assignments: { shards: 0 } },
    'spec.assignments.shards in body should be greater than or equal to 1',
    'spec.assignments.shards: must be >= 1',
  ],
  [
    'a failover share of zero percent',
    workers({ failover: { maxUnavailable: '0%' } }),
    'failover.maxUnavailable is a number of at least 1, or a percentage',
  ],
  [
    'a refresh share of zero percent',
    { refresh: { maxUnavailable: '0%' } },
    'refresh.maxUnavailable is a number of at least 1, or a percentage',
  ],
  [
    'an invalid port',
    { probe: { httpGet: { port: 70_000 } } },
    'probe.httpGet.port is a number from 1 to 65535, or the name',
  ],
  [
    'Exclusive with shards',
    { ...exclusive, assignments: { shards: 2 } },
    'one ConfigMap only: assignments.shards must be 1',
  ],
  [
    'Exclusive without probes',
    { ...exclusive, probe: { type: 'None' } },
    'needs workers that confirm: probe.type must be HTTPGet',
  ],
  [
    'a bound of no restart',
    { streamPolicy: { maxRestarts: 0 } },
    'spec.streamPolicy.maxRestarts in body should be greater than or equal to 1',
    'spec.streamPolicy.maxRestarts: must be >= 1',
  ],
  [
    'a move after less than a minute',
    { streamPolicy: { moveAfterSeconds: 59 } },
    'spec.streamPolicy.moveAfterSeconds in body should be greater than or equal to 60',
    'spec.streamPolicy.moveAfterSeconds: must be >= 60',
  ],
  [
    'a move after more than a day',
    { streamPolicy: { moveAfterSeconds: 86_401 } },
    'spec.streamPolicy.moveAfterSeconds in body should be less than or equal to 86400',
    'spec.streamPolicy.moveAfterSeconds: must be <= 86400',
  ],
  [
    'moves of failing streams without probes',
    { streamPolicy: { moveAfterSeconds: 900 }, probe: { type: 'None' } },
    'streamPolicy.moveAfterSeconds needs workers that tell: probe.type must be HTTPGet',
  ],
  [
    'work that ends without probes',
    { streamPolicy: { completion: 'Once' }, probe: { type: 'None' } },
    'streamPolicy.completion Once needs workers that tell: probe.type must be HTTPGet',
  ],
  [
    'Exclusive with failover',
    { ...exclusive, ...workers({ failover: { policy: 'AfterTimeout' } }) },
    'workers.failover.policy must be Never or left out',
  ],
  [
    'Exclusive on Deployments',
    { ...exclusive, ...deployment },
    'handoff.type Exclusive works with StatefulSets only',
  ],
  [
    'Restart on Deployments',
    { refresh: { mode: 'Restart' }, ...deployment },
    'refresh.mode Restart works with StatefulSets only',
  ],
  [
    'no probes on Deployments',
    { probe: { type: 'None' }, ...deployment },
    'probe.type None works with StatefulSets only',
  ],
  [
    'an ordinal twice',
    workers({ cordoned: [1, 2, 1] }),
    'spec.workers.cordoned[2]: Duplicate value: 1',
    'spec.workers.cordoned[2]: Duplicate value: 1 is already',
  ],
  [
    'a port with an invalid name',
    { probe: { httpGet: { port: 'Not a name' } } },
    'probe.httpGet.port is a number from 1 to 65535, or the name',
  ],
];
