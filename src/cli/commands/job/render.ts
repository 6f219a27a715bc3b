// swarmctl job render: which objects would the operator make for a job?
import { dump } from 'js-yaml';
import { kinds } from '../../../api/kinds.ts';
import type { KubeObject } from '../../../api/objects.ts';
import { parseSwarmJob, parseSwarmQueue } from '../../../api/validate.ts';
import { deadlineSeconds } from '../../../job/attempt/run-time.ts';
import { batchJobObject, hostsObject, serviceObject } from '../../../job/make/objects.ts';
import { checkPreconditions } from '../../../job/preconditions.ts';
import { type Command, CommandError, command, exitCodes } from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { objectsIn, readManifests } from '../../files/read.ts';
import { checkSpec } from '../../validate/check.ts';

/** The API server gives the job its own. */
const UNKNOWN_UID = '00000000-0000-0000-0000-000000000000';

export const jobRender: Command = command(
  {
    name: 'job render',
    summary: 'every object that would be made for a job, as YAML',
    operands: { usage: '', least: 0, most: 0 },
    about: `Prints what the operator makes for each SwarmJob of the file when it is admitted: the Service and the ConfigMap with the hosts, where it
has more than one rank, and the Indexed Job, suspended as it is created. Deadlines that come from a SwarmQueue are set where the queue is
in the same files. No cluster is needed. The UID of the job, which each object names as that of its owner, is given by the API server;
here it is ${UNKNOWN_UID}.

Exit codes: 0 all objects are printed, 1 the operator or the API server would refuse a job (each reason is told, and nothing is printed),
2 the command line is wrong, or the file cannot be read.`,
    examples: [['swarmctl job render -f job.yaml', 'look at the pods before they are made']],
    flags: {
      file: {
        type: 'texts',
        value: 'FILE',
        short: 'f',
        help: 'the SwarmJobs (a file, a folder, or - for standard input)',
      },
      namespace: {
        type: 'text',
        value: 'NAME',
        short: 'n',
        fallback: 'default',
        help: 'the namespace of jobs that name none',
      },
    },
  },
  async ({ values: { file, namespace } }, terminal) => {
    if (file.length === 0) throw new CommandError('--file: FILE is missing; it has the SwarmJob');
    const objects = readManifests(file)
      .flatMap(objectsIn)
      .map((it) => ({ ...it, metadata: { namespace, ...it.metadata, uid: UNKNOWN_UID } }));
    const jobs = objects.filter(({ kind }) => kind === kinds.SwarmJob.kind);
    if (jobs.length === 0) throw new CommandError(`no SwarmJob is in ${file.join(', ')}`);
    const made = jobs.map((object) => madeFor(object, objects, terminal));
    if (made.includes(undefined)) return exitCodes.no;
    const all = made.flatMap((it) => it ?? []);
    terminal.out(all.map(yamlOf).join('---\n').trimEnd());
    return exitCodes.ok;
  },
);

/** Undefined: the job would be refused, and why is told. */
function madeFor(
  object: KubeObject,
  objects: readonly KubeObject[],
  terminal: Terminal,
): readonly KubeObject[] | undefined {
  const job = parseSwarmJob(object);
  const { metadata } = object;
  const { problems } = checkSpec('SwarmJob', { metadata, spec: object['spec'] ?? {} });
  const checked = checkPreconditions({ job });
  if (problems.length > 0 || !checked.ok) {
    const refusals = problems.map(({ field, message }) => `${field} ${message}`);
    const blocked = checked.ok ? [] : [`${checked.blocked.reason}: ${checked.blocked.message}`];
    for (const text of refusals.length > 0 ? refusals : blocked)
      terminal.problem(`SwarmJob ${metadata.name}: ${text}`);
    return undefined;
  }
  const { spec } = checked;
  const made = { meta: job.meta, spec };
  const leftSeconds = deadlineSeconds({ spec, queue: defaultsOf(spec.queueName, objects) });
  const attempt = { grant: 2, attempt: 1, ranSeconds: 0, leftSeconds };
  const gang = spec.size > 1 ? [serviceObject(made), hostsObject(made)] : [];
  return [...gang, batchJobObject(made, attempt)];
}

function defaultsOf(name: string, objects: readonly KubeObject[]) {
  const queue = objects.find(
    ({ kind, metadata }) => kind === kinds.SwarmQueue.kind && metadata.name === name,
  );
  const { spec } = queue === undefined ? {} : parseSwarmQueue(queue);
  if (spec?.ok !== true) return {};
  const { jobDefaults, maxActiveDeadlineSeconds } = spec.value;
  return { activeDeadlineSeconds: jobDefaults.activeDeadlineSeconds, maxActiveDeadlineSeconds };
}

const yamlOf = (object: KubeObject): string =>
  dump(JSON.parse(JSON.stringify(object)), { lineWidth: -1, noRefs: true });
