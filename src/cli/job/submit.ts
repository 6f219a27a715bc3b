// Which SwarmJob do the flags of `job run` mean, and how is it submitted?
import { randomInt } from 'node:crypto';
import { apiVersionOf, kinds, metadataOf } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import { oneLine } from '../../api/text.ts';
import { parseSwarmJob, type SwarmJob } from '../../api/validate.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';
import { type Cluster, listObjects } from '../cluster/connect.ts';
import { resourcesOf } from './resources.ts';

type WantedJob = {
  readonly name: string | undefined;
  readonly queue: string;
  readonly size: number;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
  readonly request: readonly string[];
  /** The time that the job may run, in milliseconds. */
  readonly time: number | undefined;
  /** How long before its end the ranks are told to end, in milliseconds. */
  readonly 'signal-before': number | undefined;
  /** After the command has failed. */
  readonly retries: number | undefined;
  readonly priority: number | undefined;
  readonly launcher: string;
  readonly tasks: number | undefined;
  /** The ranks start together. */
  readonly together: boolean;
};

export function jobObject(wanted: WantedJob, namespace: string): KubeObject {
  const { name = generatedName(wanted.image), queue, size, image, command, priority } = wanted;
  const { time, 'signal-before': signal, retries } = wanted;
  const env = wanted.env.map(variableIn);
  const resources = resourcesOf(wanted);
  return {
    apiVersion: apiVersionOf(kinds.SwarmJob),
    kind: kinds.SwarmJob.kind,
    metadata: { name, namespace },
    spec: {
      queueName: queue,
      size,
      image,
      command,
      ...(env.length > 0 && { env }),
      ...(resources !== undefined && { resources }),
      ...(time !== undefined && { activeDeadlineSeconds: Math.ceil(time / 1000) }),
      ...(signal !== undefined && { deadlineSignalSeconds: Math.ceil(signal / 1000) }),
      ...(retries !== undefined && { retries: { application: retries } }),
      ...(priority !== undefined && { priority }),
      ...launcherOf(wanted),
    },
  };
}

const launcherTypes: Readonly<Record<string, string>> = {
  leader: 'Leader',
  mpi: 'MPI',
  flux: 'Flux',
};

function launcherOf({ launcher, tasks, together }: WantedJob): object {
  const type = launcherTypes[launcher];
  const wanted = {
    ...(type !== undefined && { type }),
    ...(tasks !== undefined && { tasks }),
    ...(together && { start: 'Together' }),
  };
  return Object.keys(wanted).length > 0 ? { launcher: wanted } : {};
}

export async function submit(
  { api, namespace }: Pick<Cluster, 'api' | 'namespace'>,
  object: KubeObject,
): Promise<SwarmJob> {
  try {
    return parseSwarmJob(await api.create(kinds.SwarmJob, object));
  } catch (error) {
    // Throws, and says what to do, where the kind is not known.
    if (hasCode(error, 'NotFound')) await listObjects(api, metadataOf(kinds.SwarmJob), namespace);
    if (hasCode(error, 'AlreadyExists'))
      throw new CommandError(
        `there is a SwarmJob ${object.metadata.name} in namespace ${namespace} already; --name gives another name`,
      );
    throw error;
  }
}

/** What Kubernetes uses for its own: no vowels, and nothing that looks like another. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const LONGEST_BASE = 40;

/** "busybox-x7k2p" */
function generatedName(image: string): string {
  const [last = ''] = (image.split('/').at(-1) ?? '').split(/[:@]/);
  const base = last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LONGEST_BASE)
    .replace(/-+$/, '');
  const suffix = Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${base === '' ? 'job' : base}-${suffix}`;
}

function variableIn(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  if (at > 0) return { name: text.slice(0, at), value: text.slice(at + 1) };
  throw new CommandError(
    `--env is ${JSON.stringify(oneLine(text))}; allowed is NAME=VALUE, such as OMP_NUM_THREADS=2`,
  );
}
