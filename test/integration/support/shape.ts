// What does a pool under test look like: its workers, its streams?

export type Shape = {
  /** By default StatefulSet. */
  readonly kind?: 'StatefulSet' | 'Deployment';
  readonly streams: readonly string[];
  readonly workers: number;
  readonly spec?: object;
  /** Merged into the StatefulSet's spec. */
  readonly set?: object;
  /** Merged into the worker's container. */
  readonly worker?: object;
  /** In place of the ConfigMap's volume. */
  readonly volume?: object;
  readonly volumes?: readonly object[];
};

export const poolSpec = ({ streams, kind }: Shape): object => ({
  workers: { selector: { matchLabels: { app: 'worker' } }, ...(kind !== undefined && { kind }) },
  streams: streams.map((name) => ({ name })),
});

const field = (name: string, fieldPath: string): object => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});

/** What every worker is told about its pod. */
export const podFields = [
  field('POD_NAME', 'metadata.name'),
  field('POD_UID', 'metadata.uid'),
  field('POD_IP', 'status.podIP'),
];

/** Workers for handoff Exclusive: they mount the annotation that permits their slice. */
export function fenced(...command: readonly string[]): Pick<Shape, 'worker' | 'volumes'> {
  const items = [
    { path: 'assigned', fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" } },
  ];
  return {
    worker: {
      // A process that ends slowly is not killed: a test may delay it as long as it needs.
      args: ['--assigned-file', '/etc/podinfo/assigned', '--stop-grace', '60s', '--', ...command],
      volumeMounts: [
        { name: 'assignments', mountPath: '/app/config' },
        { name: 'podinfo', mountPath: '/etc/podinfo' },
      ],
    },
    volumes: [{ name: 'podinfo', downwardAPI: { items } }],
  };
}

const mountOf = (name: string): object => ({ configMap: { name, optional: true } });

export function workload({
  kind,
  workers,
  set = {},
  worker = {},
  volume = mountOf('tv-assignments'),
  volumes = [],
}: Shape): {
  readonly metadata: object;
  readonly spec: object;
} {
  return {
    metadata: { labels: { app: 'worker' } },
    spec: {
      replicas: workers,
      ...(kind !== 'Deployment' && { podManagementPolicy: 'Parallel' }),
      selector: { matchLabels: { app: 'worker' } },
      template: {
        metadata: { labels: { app: 'worker' } },
        spec: {
          terminationGracePeriodSeconds: 5,
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'worker',
              image: 'swarm-worker:test',
              env: podFields,
              // A slow worker does not count as failed.
              readinessProbe: {
                httpGet: { path: '/internal/health', port: 9090 },
                periodSeconds: 1,
                timeoutSeconds: 30,
              },
              volumeMounts: [{ name: 'assignments', mountPath: '/app/config' }],
              ...worker,
            },
          ],
          volumes: [{ name: 'assignments', ...volume }, ...volumes],
        },
      },
      ...set,
    },
  };
}

export const names = (count: number, prefix = 's'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
