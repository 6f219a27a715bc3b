// What a pod asks for that the playground cannot do for a process on this machine.
import type { V1Container } from '@kubernetes/client-node';
import { dig } from '../../../api/objects.ts';
import type { MountMode } from '../containers/mounts.ts';
import { unsupportedField } from '../volumes/payload.ts';
import { everyContainer, identityOf, type NodePod } from './pod-spec.ts';

type Limits = {
  readonly isRoot: boolean;
  readonly mounts: MountMode;
  /** The path to its programs that is closed to the user of a container. */
  readonly closedTo: (pod: NodePod, container: V1Container) => string | undefined;
  /** Why servers that listen on all addresses may collide (all-addresses.ts). */
  readonly collision: (containers: readonly V1Container[]) => string | undefined;
};

/**
 * `blocking`: the pod cannot run at all. `notable`: it runs without something that it asked for.
 * `harmless`: a restriction is not enforced.
 */
type Unsupported = Readonly<Record<'blocking' | 'notable' | 'harmless', readonly string[]>>;

export function unsupportedIn(pod: NodePod, limits: Limits): Unsupported {
  const { mounts } = limits;
  const { spec, initContainers, containers } = pod;
  const hostFields = ['hostNetwork', 'hostPID', 'hostIPC'] as const;
  const hasMounts = everyContainer(pod).some(({ volumeMounts }) => volumeMounts?.length);
  const collision = limits.collision(everyContainer(pod));
  const unmounted =
    mounts.type === 'rewrite' && hasMounts
      ? [
          `volumeMounts at their paths (${mounts.reason}; the paths are mapped in command, arguments and environment instead)`,
        ]
      : [];
  const notable = [
    ...hostFields.filter((field) => spec[field]).map((field) => `spec.${field}`),
    ...identityProblems(pod, limits),
    ...initContainers.flatMap((each) => unsupportedFields('initContainers', each)),
    ...containers.flatMap((each) => unsupportedFields('containers', each)),
    ...(spec.ephemeralContainers?.length ? ['spec.ephemeralContainers'] : []),
    ...unmounted,
    ...(collision === undefined ? [] : [collision]),
  ];
  const blocking = (spec.volumes ?? []).flatMap((volume) => {
    const field = unsupportedField(volume);
    return field === undefined
      ? []
      : [
          `spec.volumes[${volume.name}].${field} (only configMap, secret, projected, downwardAPI and emptyDir)`,
        ];
  });
  return { blocking, notable: [...new Set(notable)], harmless: unenforcedFields(pod) };
}

function identityProblems(pod: NodePod, { isRoot, mounts, closedTo }: Limits): string[] {
  const containers = everyContainer(pod);
  if (isRoot && mounts.type === 'namespace') {
    return containers.flatMap((container) => {
      const closed = closedTo(pod, container);
      if (closed === undefined) return [];
      const { runAsUser } = identityOf(pod, container);
      const why = `user ${runAsUser} may not use ${closed}, so it runs as root`;
      return [`securityContext.runAsUser of ${container.name} (${why})`];
    });
  }
  const why = isRoot ? 'without mount namespaces' : 'the playground does not run as root';
  const ours = { runAsUser: process.getuid?.(), runAsGroup: process.getgid?.() };
  const fields = containers.flatMap((container) => {
    const asked = identityOf(pod, container);
    return (['runAsUser', 'runAsGroup'] as const)
      .filter((field) => asked[field] !== undefined && asked[field] !== ours[field])
      .map((field) => `securityContext.${field} of ${container.name} (${why})`);
  });
  return pod.spec.securityContext?.fsGroup === undefined || isRoot
    ? fields
    : [...fields, `spec.securityContext.fsGroup (${why})`];
}

const unsupportedPaths = [
  'livenessProbe.grpc',
  'readinessProbe.grpc',
  'startupProbe.grpc',
  'lifecycle.postStart',
  'lifecycle.stopSignal',
  'securityContext.privileged',
  'volumeDevices',
  'stdin',
  'tty',
  'restartPolicyRules',
];

function unsupportedFields(list: string, container: V1Container): string[] {
  const { terminationMessagePath = '/dev/termination-log' } = container;
  return [
    ...unsupportedPaths.filter((path) => dig(container, ...path.split('.'))),
    ...(terminationMessagePath === '/dev/termination-log' ? [] : ['terminationMessagePath']),
  ].map((field) => `spec.${list}[${container.name}].${field}`);
}

const restrictions = [
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'capabilities',
  'seccompProfile',
  'appArmorProfile',
  'runAsNonRoot',
];

/** Each of these only takes something away from a container. */
function unenforcedFields(pod: NodePod): string[] {
  const containers = everyContainer(pod);
  const contexts = [pod.spec, ...containers].map(({ securityContext }) => securityContext);
  const asked = restrictions.filter((field) =>
    contexts.some((context) => dig(context, field) !== undefined),
  );
  const hasResources = containers.some(({ resources }) => Object.keys(resources ?? {}).length > 0);
  return [
    ...(hasResources ? ['resources'] : []),
    ...asked.map((field) => `securityContext.${field}`),
  ];
}
