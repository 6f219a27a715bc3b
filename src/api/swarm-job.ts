// What do queues and jobs both read of a SwarmJob? The pods that it asks for, and whether it waits.
import type { LedgerEntry } from './ledger.ts';
import { asList, asRecord, dig } from './objects.ts';
import { oneLine } from './text.ts';
import type { SwarmJob, SwarmJobSpec } from './validate.ts';

/** The container that runs the command. */
export const MAIN = 'main';

type Container = Readonly<Record<string, unknown>>;

/** The spec of its pods as the user wrote it: the shorthand stands in the container `main`. */
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

/** A field whose meaning this version does not know yet, and its value. */
export function notSupported(spec: SwarmJobSpec): string | undefined {
  if (spec.launcher.type !== 'None') return `launcher.type ${spec.launcher.type}`;
  return spec.launcher.start === 'Together' ? 'launcher.start Together' : undefined;
}

/** The API server refuses longer names of containers, but of a template only later. */
const LONGEST_NAME = 63;

/** Where each container finds its rank, the size, the leader and the hosts as files. */
export const FILES_PATH = '/etc/swarm';
export const FILES_VOLUME = 'k8slab-swarm';

/** Something in the template that stands where these files are to be; undefined: nothing. */
export function templateConflict(spec: SwarmJobSpec): string | undefined {
  const podSpec = podSpecOf(spec);
  if (asList(podSpec['volumes']).some((it) => dig(it, 'name') === FILES_VOLUME))
    return `a volume is named ${FILES_VOLUME}, as that of the operator: give it another name`;
  const containers = ['initContainers', 'containers'].flatMap((field) => asList(podSpec[field]));
  for (const container of containers)
    for (const mount of asList(dig(container, 'volumeMounts')))
      if (isAtFiles(dig(mount, 'mountPath')))
        return `container ${oneLine(String(dig(container, 'name')), LONGEST_NAME)} mounts a volume at ${FILES_PATH}, where the operator mounts its files: choose another path`;
  return undefined;
}

/** Of a pod or a container: only what `templateConflict` refuses, if there is some. */
export function conflictsOf(holder: unknown): object {
  const volume = asList(dig(holder, 'volumes')).find((it) => dig(it, 'name') === FILES_VOLUME);
  const mount = asList(dig(holder, 'volumeMounts')).find((it) => isAtFiles(dig(it, 'mountPath')));
  return {
    ...(volume !== undefined && { volumes: [{ name: FILES_VOLUME }] }),
    ...(mount !== undefined && { volumeMounts: [{ mountPath: FILES_PATH }] }),
  };
}

/** There, or below. */
const isAtFiles = (path: unknown): boolean =>
  typeof path === 'string' &&
  `/${path.split('/').filter(Boolean).join('/')}/`.startsWith(`${FILES_PATH}/`);

type State = NonNullable<NonNullable<SwarmJob['status']>['state']>;

const ended: ReadonlySet<State> = new Set(['Succeeded', 'Failed']);
const admitted: ReadonlySet<State> = new Set(['Admitted', 'Starting', 'Running']);

export const hasEnded = ({ status }: SwarmJob): boolean =>
  status?.state !== undefined && ended.has(status.state);

/** As far as its status knows. */
export const isAdmitted = ({ status }: SwarmJob): boolean =>
  status?.state !== undefined && admitted.has(status.state);

/**
 * It did not start in time under this entry: nothing is made for it any more, and the entry can go
 * once no pod lives.
 */
export const hasGivenUp = ({ status }: SwarmJob, { time }: Pick<LedgerEntry, 'time'>): boolean =>
  status?.history?.some(
    (it) => it.reason === 'StartTimedOut' && Date.parse(it.time) > Date.parse(time),
  ) === true;

/**
 * Until it may be admitted again after a failed attempt, in ms. The pause is doubled with each
 * failure, up to an hour, and begins when the job was queued again. It is up to a quarter longer,
 * by its UID: jobs that failed together do not try again in step.
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

/** Its last start timed out. */
export const hasTimedOut = ({ status }: SwarmJob): boolean =>
  status?.history?.find((it) => it.reason === 'StartTimedOut' || it.state === 'Running')?.reason ===
  'StartTimedOut';

/** When it was queued: a start that took too long queues it again behind the others. */
export function queuedAtMs({ meta, status }: SwarmJob): number {
  const again = status?.history?.find(({ reason }) => reason === 'StartTimedOut')?.time;
  return Date.parse(again ?? meta.creationTimestamp);
}
