// Which facts about a SwarmJob do queues and jobs both read? The pods that it requests, and whether
// it waits.
import type { LedgerEntry } from './ledger.ts';
import { asList, asRecord, dig } from './objects.ts';
import { oneLine } from './text.ts';
import type { SwarmJob, SwarmJobSpec } from './validate.ts';

/** The container that runs the command. */
export const MAIN = 'main';

type Container = Readonly<Record<string, unknown>>;

/** The spec of its pods as the user wrote it, with the shorthand in the container `main`. */
export function podSpecOf(spec: SwarmJobSpec): Readonly<Record<string, unknown>> {
  const template = asRecord(spec.template?.spec) ?? {};
  const containers = asList(template['containers'])
    .map(asRecord)
    .filter((it) => it !== undefined);
  const main = containers.find((it) => it['name'] === MAIN) ?? { name: MAIN };
  const others = containers.filter((it) => it !== main);
  return { ...template, containers: [{ ...main, ...shorthandOf(spec) }, ...others] };
}

function shorthandOf({
  image,
  command,
  args,
  workingDir,
  env,
  resources,
}: SwarmJobSpec): Container {
  const shorthand = { image, command, args, workingDir, env, resources };
  return Object.fromEntries(Object.entries(shorthand).filter(([, value]) => value !== undefined));
}

/** No rank runs its command before all ranks are there. */
export function startsTogether({ size, launcher }: SwarmJobSpec): boolean {
  const { type, start = type === 'None' ? 'Separately' : 'Together' } = launcher;
  return size > 1 && start === 'Together';
}

/** Rank 0 runs the command, and the job ends with it. */
export const hasLeader = ({ size, launcher }: SwarmJobSpec): boolean =>
  size > 1 && launcher.type !== 'None';

/**
 * The API server refuses longer names of containers, but for a template only when its Job is
 * created.
 */
const LONGEST_NAME = 63;

/**
 * The folder in which each container finds its rank, the size, the leader and the hosts as files.
 */
export const FILES_PATH = '/etc/swarm';
export const FILES_VOLUME = 'k8slab-swarm';

type Mounts = readonly (readonly [volume: string, path: string])[];

/** The ranks find each other by keys for ssh, or by a certificate for Flux. */
export type KeysType = 'ssh' | 'curve';

type Launcher = SwarmJobSpec['launcher']['type'];

/** The keys that the ranks of a gang need; undefined: none. */
const keysTypes: Readonly<Record<Launcher, KeysType | undefined>> = {
  None: undefined,
  Leader: undefined,
  MPI: 'ssh',
  Flux: 'curve',
};

/** `launcher`: as the batch Job has it, which its user may have changed. */
export const keysTypeOf = (launcher: string | undefined): KeysType | undefined =>
  launcher !== undefined && Object.hasOwn(keysTypes, launcher)
    ? keysTypes[launcher as Launcher]
    : undefined;

/** Its batch Job gets keys, which are made anew for each attempt. */
export const needsKeys = ({ size, launcher }: SwarmJobSpec): boolean =>
  size > 1 && keysTypeOf(launcher.type) !== undefined;

/** The keys of the attempt, for the container `main` of a job that has some. */
export const KEYS_PATH = '/etc/swarm-keys';
export const KEYS_VOLUME = 'k8slab-keys';

/** A folder for that container alone, in memory. */
export const RUN_PATH = '/run/swarm';
export const RUN_VOLUME = 'k8slab-run';

/** Each volume of the operator, and where it is mounted. */
const files: Mounts = [[FILES_VOLUME, FILES_PATH]];
const withKeys: Mounts = [...files, [KEYS_VOLUME, KEYS_PATH], [RUN_VOLUME, RUN_PATH]];

/** A part of the template at the path of our files; undefined: there is none. */
export function templateConflict(spec: SwarmJobSpec): string | undefined {
  const podSpec = podSpecOf(spec);
  const ours = needsKeys(spec) ? withKeys : files;
  const volume = ourVolumeIn(ours, podSpec);
  if (volume !== undefined)
    return `a volume is named ${volume}, as that of the operator: give it another name`;
  const containers = ['initContainers', 'containers'].flatMap((field) => asList(podSpec[field]));
  for (const container of containers) {
    const path = ourPathIn(ours, container);
    if (path !== undefined)
      return `container ${oneLine(String(dig(container, 'name')), LONGEST_NAME)} mounts a volume at ${path}, where the operator mounts its files: choose another path`;
  }
  return undefined;
}

/** The fields of a pod or a container that `templateConflict` refuses. */
export function conflictsOf(holder: unknown): object {
  const [volume, path] = [ourVolumeIn(withKeys, holder), ourPathIn(withKeys, holder)];
  return {
    ...(volume !== undefined && { volumes: [{ name: volume }] }),
    ...(path !== undefined && { volumeMounts: [{ mountPath: path }] }),
  };
}

const ourVolumeIn = (ours: Mounts, podSpec: unknown): string | undefined =>
  ours
    .map(([volume]) => volume)
    .find((name) => asList(dig(podSpec, 'volumes')).some((it) => dig(it, 'name') === name));

/** A volume is mounted there, or below. */
const ourPathIn = (ours: Mounts, container: unknown): string | undefined =>
  ours
    .map(([, path]) => path)
    .find((path) =>
      asList(dig(container, 'volumeMounts')).some((it) => isWithin(path, dig(it, 'mountPath'))),
    );

const isWithin = (ours: string, path: unknown): boolean =>
  typeof path === 'string' &&
  `/${path.split('/').filter(Boolean).join('/')}/`.startsWith(`${ours}/`);

type State = NonNullable<NonNullable<SwarmJob['status']>['state']>;

const ended: ReadonlySet<State> = new Set(['Succeeded', 'Failed']);
const admitted: ReadonlySet<State> = new Set(['Admitted', 'Starting', 'Running']);

export const hasEnded = ({ status }: SwarmJob): boolean =>
  status?.state !== undefined && ended.has(status.state);

/** According to its status. */
export const isAdmitted = ({ status }: SwarmJob): boolean =>
  status?.state !== undefined && admitted.has(status.state);

/**
 * The start under this entry has timed out: nothing more is created for it, and the entry is
 * removed once no pod lives.
 */
export const hasGivenUp = ({ status }: SwarmJob, { time }: Pick<LedgerEntry, 'time'>): boolean =>
  status?.history?.some(
    (it) => it.reason === 'StartTimedOut' && Date.parse(it.time) > Date.parse(time),
  ) === true;

/**
 * The time until the job may be admitted again after a failed attempt, in milliseconds. The pause
 * doubles with each failure, up to an hour, and begins when the job was queued again. It is up to a
 * quarter longer, depending on the UID, so that jobs that failed together do not retry together.
 */
export function backsOffForMs({ meta, spec, status }: SwarmJob, now: number): number {
  const { application = 0, image = 0, start = 0, disruption = 0 } = status?.failures ?? {};
  const failed = application + image + start + disruption;
  const since = status?.history?.find(({ reason }) => reason === 'BackingOff')?.time;
  if (!spec.ok || failed === 0 || since === undefined || status?.state !== 'Waiting') return 0;
  const pauseMs = Math.min(3_600_000, spec.value.backoffSeconds * 1000 * 2 ** (failed - 1));
  return Math.max(0, Math.ceil(Date.parse(since) + pauseMs * (1 + spreadOf(meta.uid)) - now));
}

/** From 0 to a quarter. */
const spreadOf = (uid: string): number =>
  [...uid].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 0) / (4 * 997);

/** The last start of the job timed out. */
export const hasTimedOut = ({ status }: SwarmJob): boolean =>
  status?.history?.find((it) => it.reason === 'StartTimedOut' || it.state === 'Running')?.reason ===
  'StartTimedOut';

/**
 * When the job was queued: after a start that took too long, it is queued again behind the others.
 */
export function queuedAtMs({ meta, status }: SwarmJob): number {
  const again = status?.history?.find(({ reason }) => reason === 'StartTimedOut')?.time;
  return Date.parse(again ?? meta.creationTimestamp);
}
