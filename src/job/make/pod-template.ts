// What does each pod of a job get besides its user's settings? Its rank, the size, the leader and
// the hosts, as environment variables and as files.
import { ANNOTATION_ADDRESSES } from '../../api/batch-job.ts';
import { ANNOTATION_JOB_UID, ANNOTATION_RANK } from '../../api/job-pod.ts';
import { asList, asRecord, dig } from '../../api/objects.ts';
import type { OwnMeta } from '../../api/own-object.ts';
import {
  FILES_PATH,
  FILES_VOLUME,
  KEYS_PATH,
  KEYS_VOLUME,
  MAIN,
  needsKeys,
  podSpecOf,
  RUN_PATH,
  RUN_VOLUME,
  startsTogether,
} from '../../api/swarm-job.ts';
import type { SwarmJobSpec } from '../../api/validate.ts';
import { HOSTS_KEY, hostsName, leaderOf, resolvableRange } from './hosts.ts';
import { keysName } from './keys.ts';
import { needsStart, START_KEY, startFiles, startWords } from './start-script.ts';

type Names = Readonly<Record<string, string>>;

/** That of Kubernetes. */
const GRACE_SECONDS = 30;

const ANNOTATION_POD_SIZE = 'k8slab.info/size';
const ANNOTATION_LEADER = 'k8slab.info/leader';
const ANNOTATION_HOSTS = 'k8slab.info/hosts';

export function podTemplate(
  { name: job, uid }: Pick<OwnMeta, 'name' | 'uid'>,
  spec: SwarmJobSpec,
  labels: Names,
  { grant, signalSeconds }: { readonly grant: number; readonly signalSeconds: number },
): object {
  const { metadata } = spec.template ?? {};
  const podSpec = podSpecOf(spec);
  const { terminationGracePeriodSeconds = GRACE_SECONDS } = podSpec;
  const graceSeconds = signalSeconds > 0 ? signalSeconds : Number(terminationGracePeriodSeconds);
  const fields = ['initContainers', 'containers'].filter((it) => podSpec[it] !== undefined);
  return {
    metadata: {
      labels: { ...metadata?.labels, ...labels },
      annotations: {
        ...metadata?.annotations,
        ...notes(job, spec.size),
        ...(startsTogether(spec) && { [ANNOTATION_ADDRESSES]: '' }),
        [ANNOTATION_JOB_UID]: uid,
      },
    },
    spec: {
      ...podSpec,
      ...Object.fromEntries(
        fields.map((field) => [
          field,
          asList(podSpec[field]).map((it) => withStart(spec, graceSeconds, withRank(it))),
        ]),
      ),
      ...(signalSeconds > 0 && { terminationGracePeriodSeconds: signalSeconds }),
      restartPolicy: 'Never',
      ...(spec.size > 1 && { subdomain: job }),
      volumes: [
        ...asList(podSpec['volumes']),
        filesVolume(job, spec),
        ...(needsKeys(spec) ? keysVolumes(job, grant) : []),
      ],
    },
  };
}

/** Annotations of the pod, which the downward API passes to its containers. */
const notes = (job: string, size: number): Names => ({
  [ANNOTATION_POD_SIZE]: String(size),
  [ANNOTATION_LEADER]: leaderOf(job, size),
  [ANNOTATION_HOSTS]: resolvableRange(job, size),
});

const pathOf = (annotation: string): string => `metadata.annotations['${annotation}']`;

const variables: Names = {
  SWARM_RANK: ANNOTATION_RANK,
  SWARM_SIZE: ANNOTATION_POD_SIZE,
  SWARM_LEADER: ANNOTATION_LEADER,
  SWARM_HOSTS: ANNOTATION_HOSTS,
};

/**
 * Our variables come first: the user's variables may refer to them, and replace those with the same
 * name.
 */
function withRank(container: unknown): object {
  const own = asList(dig(container, 'env'));
  const names = new Set(own.map((it) => dig(it, 'name')));
  const ours = Object.entries(variables)
    .filter(([name]) => !names.has(name))
    .map(([name, annotation]) => ({
      name,
      valueFrom: { fieldRef: { fieldPath: pathOf(annotation) } },
    }));
  const mount = { name: FILES_VOLUME, mountPath: FILES_PATH, readOnly: true };
  return {
    ...asRecord(container),
    env: [...ours, ...own],
    volumeMounts: [...asList(dig(container, 'volumeMounts')), mount],
  };
}

/** Puts the start script before the command of a rank that waits or does not run it. */
function withStart(spec: SwarmJobSpec, graceSeconds: number, container: object): object {
  const command = asList(dig(container, 'command'));
  if (dig(container, 'name') !== MAIN || !needsStart(spec)) return container;
  return {
    ...container,
    command: [
      '/bin/sh',
      `${FILES_PATH}/${START_KEY}`,
      ...startWords(spec, graceSeconds),
      ...command,
    ],
    ...(needsKeys(spec) && {
      volumeMounts: [...asList(dig(container, 'volumeMounts')), ...keysMounts],
    }),
  };
}

const keysMounts = [
  { name: KEYS_VOLUME, mountPath: KEYS_PATH, readOnly: true },
  { name: RUN_VOLUME, mountPath: RUN_PATH },
];

/** Any user of the image may read the keys, which only this container has. */
const keysVolumes = (job: string, grant: number): readonly object[] => [
  { name: KEYS_VOLUME, secret: { secretName: keysName(job, grant), defaultMode: 0o444 } },
  { name: RUN_VOLUME, emptyDir: { medium: 'Memory' } },
];

/** A job of one rank has its only host in an annotation, and no ConfigMap. */
function filesVolume(job: string, spec: SwarmJobSpec): object {
  const isGang = spec.size > 1;
  const items = [
    ['rank', ANNOTATION_RANK],
    ['size', ANNOTATION_POD_SIZE],
    ['leader', ANNOTATION_LEADER],
    ...(startsTogether(spec) ? [['addresses', ANNOTATION_ADDRESSES]] : []),
    ...(isGang ? [] : [['hosts', ANNOTATION_HOSTS]]),
  ].map(([path = '', annotation = '']) => ({ path, fieldRef: { fieldPath: pathOf(annotation) } }));
  const fromMap = {
    name: hostsName(job),
    items: [HOSTS_KEY, ...(needsStart(spec) ? [START_KEY] : [])].map((key) => ({ key, path: key })),
  };
  return {
    name: FILES_VOLUME,
    projected: {
      sources: [
        { downwardAPI: { items: [...items, ...startFiles(spec)] } },
        ...(isGang ? [{ configMap: fromMap }] : []),
      ],
    },
  };
}
