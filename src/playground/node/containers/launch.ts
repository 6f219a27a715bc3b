// What exactly is run for a container: command, environment, folder, mounts?
import path from 'node:path';
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import { messageOf } from '../../failure.ts';
import type { NodeContext } from '../context.ts';
import { describeMissing, findImage } from '../images.ts';
import { identityOf, type NodePod, type Strings } from '../pods/pod-spec.ts';
import type { References } from '../volumes/references.ts';
import type { Volumes } from '../volumes/volumes.ts';
import {
  commandOf,
  type EnvironmentInputs,
  environmentOf,
  expand,
  isMissing,
  referencedBy,
} from './environment.ts';
import { enter, type MountIdentity, mountsOf, rewritePaths, systemPath, wrap } from './mounts.ts';
import type { ProcessLaunch } from './process.ts';
import { closedTo } from './reachable.ts';
import type { Mount } from './root-plan.ts';

export type Prepared = {
  readonly launch: ProcessLaunch;
  readonly env: Strings;
  readonly workingDir: string;
  readonly mounts: readonly Mount[];
};

/** Why a container cannot be created now, in a kubelet's words. */
export type RefusedLaunch = {
  readonly refused: 'ErrImagePull' | 'CreateContainerConfigError' | 'CreateContainerError';
  readonly message: string;
};

export type LaunchWish = {
  readonly pod: NodePod;
  readonly container: V1Container;
  readonly podIP: string;
  readonly volumes: Volumes;
  readonly references: References;
  /** A folder for this run's root; it must not exist yet. */
  readonly root: string;
};

export async function prepare(
  wish: LaunchWish,
  context: NodeContext,
): Promise<Prepared | RefusedLaunch> {
  const { container, volumes } = wish;
  const { image: imageName = '' } = container;
  const image = findImage(context.images, imageName);
  if (image === undefined)
    return { refused: 'ErrImagePull', message: describeMissing(context.images, imageName) };
  const lookup = await wish.references.read(referencedBy(container));
  const inputs: EnvironmentInputs = {
    ...wish,
    ...context,
    lookup,
    given: givenTo(wish, context),
  };
  const env = environmentOf(container, image, inputs);
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
    const workingDir = container.workingDir ?? image.workingDir ?? '/';
    return {
      env,
      workingDir,
      mounts,
      launch: launchOf(argv, env, workingDir, mounts, wish, context),
    };
  } catch (error) {
    return { refused: 'CreateContainerError', message: messageOf(error) };
  }
}

function launchOf(
  argv: readonly string[],
  env: Strings,
  workingDir: string,
  mounts: readonly Mount[],
  { pod, container, root }: LaunchWish,
  { mountMode, images }: NodeContext,
): ProcessLaunch {
  if (mountMode.type === 'rewrite') return rewritten(argv, env, workingDir, mounts);
  const wrapper = wrap(mountMode, {
    root,
    mounts,
    workingDir,
    hostname: pod.hostname,
    path: env['PATH'] ?? systemPath,
    program: argv[0] ?? '',
    identity: mountIdentityOf(
      pod,
      container,
      mountMode.isRoot && closedTo(pod, container, images) === undefined,
    ),
  });
  return {
    argv: [...wrapper.argv, ...argv],
    env: { ...env, PATH: systemPath },
    cwd: '/',
    reportsStart: wrapper.reportsStart,
  };
}

function rewritten(
  argv: readonly string[],
  env: Strings,
  workingDir: string,
  mounts: readonly Mount[],
): ProcessLaunch {
  const map = (text: string): string => rewritePaths(text, mounts);
  const mapped = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, map(value)]));
  return { argv: argv.map(map), env: mapped, cwd: map(workingDir), reportsStart: false };
}

/** A command that joins a running container, for probes and hooks. */
export function joining(
  prepared: Prepared,
  pid: number,
  command: readonly string[],
  { mountMode }: NodeContext,
): ProcessLaunch {
  const { env, workingDir, mounts } = prepared;
  if (mountMode.type === 'rewrite') return rewritten(command, env, workingDir, mounts);
  return {
    argv: [...enter(mountMode, pid, workingDir), ...command],
    env,
    cwd: '/',
    reportsStart: false,
  };
}

/** Without a change of user it runs as the playground does; an event on the pod says so. */
function mountIdentityOf(pod: NodePod, container: V1Container, mayChange: boolean): MountIdentity {
  if (!mayChange) return { uid: undefined, gid: undefined, groups: [] };
  const { supplementalGroups = [], fsGroup } = pod.spec.securityContext ?? {};
  const { runAsUser, runAsGroup } = identityOf(pod, container);
  const groups = fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup];
  return { uid: runAsUser, gid: runAsGroup, groups };
}

/**
 * Nothing of the playground's own environment: what a pod needs and does not declare should be
 * missed here, not in the cluster.
 */
function givenTo({ pod, podIP }: LaunchWish, { nodeApi }: NodeContext): Strings {
  const { hostname, port } = nodeApi.server;
  return {
    PATH: pathWithNode,
    HOME: '/root',
    HOSTNAME: pod.hostname,
    // Our convention: whoever binds this address, and not all of them, can use the same port as
    // every other pod.
    POD_IP: podIP,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port || '443',
  };
}

/** The Node that runs this comes first, as it would in an image built for it. */
const pathWithNode = `${path.dirname(process.execPath)}:${systemPath}`;
