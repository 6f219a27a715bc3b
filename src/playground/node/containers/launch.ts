// What runs for a container: its command, environment, working directory and mounts.
import path from 'node:path';
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import { errorText } from '../../../api/text.ts';
import type { NodeContext } from '../context.ts';
import { describeMissing, findImage } from '../images.ts';
import { identityOf, type NodePod, type Strings } from '../pods/pod-spec.ts';
import type { References } from '../volumes/references.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { commandBefore, isExecutable } from './all-addresses.ts';
import { commandOf, environmentOf, expand, isMissing, referencedBy } from './environment.ts';
import { enter, type MountIdentity, mountsOf, rewritePaths, systemPath, wrap } from './mounts.ts';
import type { ProcessLaunch } from './process.ts';
import { closedTo } from './reachable.ts';
import type { Mount } from './root-plan.ts';

/** What a container is launched with of its pod. */
export type LaunchingPod = {
  readonly pod: NodePod;
  readonly ip: string | undefined;
  readonly volumes: Pick<Volumes, 'pathOf'>;
  readonly references: Pick<References, 'read'>;
};

/** What a process in the container sees. */
export type ContainerView = {
  readonly env: Strings;
  readonly workingDir: string;
  readonly mounts: readonly Mount[];
};

/** Why a container cannot be created now, in a kubelet's words. */
export type RefusedLaunch = {
  readonly refused: 'ErrImagePull' | 'CreateContainerConfigError' | 'CreateContainerError';
  readonly message: string;
};

/** `root`: the folder for the root of this run; it must not exist yet. */
export async function prepare(
  container: V1Container,
  { pod, ip: podIP = '', volumes, references }: LaunchingPod,
  root: string,
  context: NodeContext,
): Promise<{ readonly launch: ProcessLaunch; readonly view: ContainerView } | RefusedLaunch> {
  const { image: imageName = '' } = container;
  const image = findImage(context.images, imageName);
  if (image === undefined)
    return { refused: 'ErrImagePull', message: describeMissing(context.images, imageName) };
  const lookup = await references.read(referencedBy(container));
  const given = givenTo(pod, podIP, context);
  const env = environmentOf(container, image, { ...context, pod, podIP, lookup, given });
  if (isMissing(env))
    return { refused: 'CreateContainerConfigError', message: String(env.missing) };
  const argv = commandOf(container, image, env);
  if (argv.length === 0)
    return {
      refused: 'CreateContainerError',
      message: `image "${imageName}" has no entry point, and the container gives no command`,
    };
  try {
    const variables = new Map(Object.entries(env));
    const subPath = ({ subPath = '', subPathExpr }: V1VolumeMount): string =>
      subPathExpr ? expand(subPathExpr, variables) : subPath;
    const mounts = mountsOf(container, (volume) => volumes.pathOf(volume), subPath);
    const view = { env, workingDir: container.workingDir ?? '/', mounts };
    const before = commandBefore(container, image, podIP, context.allAddresses);
    return { view, launch: launchOf(argv, { ...view, before }, pod, container, root, context) };
  } catch (error) {
    return { refused: 'CreateContainerError', message: errorText(error) };
  }
}

function launchOf(
  argv: readonly string[],
  view: ContainerView & { readonly before: readonly string[] },
  pod: NodePod,
  container: V1Container,
  root: string,
  { mountMode, images }: NodeContext,
): ProcessLaunch {
  if (mountMode.type === 'rewrite') return putAfter(view.before, rewritten(argv, view));
  const { env } = view;
  // Where the user cannot be changed, an event on the pod says so (support.ts).
  const mayChangeUser = mountMode.isRoot && closedTo(pod, container, images) === undefined;
  const wrapper = wrap(mountMode.isRoot, {
    ...view,
    root,
    hostname: pod.hostname,
    path: env['PATH'] ?? systemPath,
    program: argv[0] ?? '',
    before: view.before,
    identity: mayChangeUser ? mountIdentityOf(pod, container) : unchanged,
  });
  const tools = { ...env, PATH: systemPath };
  return { argv: [...wrapper, ...argv], env: tools, cwd: '/', reportsStart: true };
}

/** Without mount namespaces. */
function rewritten(
  argv: readonly string[],
  { env, workingDir, mounts }: ContainerView,
): ProcessLaunch {
  const map = (text: string): string => rewritePaths(text, mounts);
  const mapped = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, map(value)]));
  return { argv: argv.map(map), env: mapped, cwd: map(workingDir), reportsStart: false };
}

/** A program that cannot be found is left alone: then its start fails, and says why. */
function putAfter(words: readonly string[], launch: ProcessLaunch): ProcessLaunch {
  const { argv, env, cwd } = launch;
  const isFound = isExecutable(argv[0] ?? '', env['PATH'] ?? '', cwd);
  return isFound ? { ...launch, argv: [...words, ...argv] } : launch;
}

/** A command in a running container, for probes and hooks. */
export function joining(
  view: ContainerView,
  pid: number,
  command: readonly string[],
  { mountMode }: NodeContext,
): ProcessLaunch {
  if (mountMode.type === 'rewrite') return rewritten(command, view);
  const argv = [...enter(mountMode.isRoot, pid, view.workingDir), ...command];
  return { argv, env: view.env, cwd: '/', reportsStart: false };
}

const unchanged: MountIdentity = { uid: undefined, gid: undefined, groups: [] };

function mountIdentityOf(pod: NodePod, container: V1Container): MountIdentity {
  const { supplementalGroups = [], fsGroup } = pod.spec.securityContext ?? {};
  const { runAsUser, runAsGroup } = identityOf(pod, container);
  const groups = fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup];
  return { uid: runAsUser, gid: runAsGroup, groups };
}

/** Nothing of the playground's environment, so that pods have to declare what they need. */
function givenTo(pod: NodePod, podIP: string, { nodeApi }: NodeContext): Strings {
  const { hostname, port } = nodeApi.server;
  return {
    // The Node that runs the playground comes first.
    PATH: `${path.dirname(process.execPath)}:${systemPath}`,
    HOME: '/root',
    HOSTNAME: pod.hostname,
    // A pod that binds this address alone can use the same port as other pods.
    POD_IP: podIP,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port || '443',
  };
}
