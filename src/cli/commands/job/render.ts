// swarmctl job render: which objects would the operator make for a job?
import { dump } from 'js-yaml';
import { kinds } from '../../../api/kinds.ts';
import type { KubeObject } from '../../../api/objects.ts';
import { parseSwarmJob, parseSwarmQueue } from '../../../api/validate.ts';
import {
  deadlineSeconds,
  nextSignalSeconds,
  secondsOfAttempt,
} from '../../../job/attempt/run-time.ts';
import { batchJobObject, hostsObject, serviceObject } from '../../../job/make/objects.ts';
import { checkPreconditions } from '../../../job/preconditions.ts';
import { type Command, CommandError, command, exitCodes } from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { objectsIn, readManifests } from '../../files/read.ts';
import type { checkSpec } from '../../validate/check.ts';

/** The API server gives the job its own. */
const UNKNOWN_UID = '00000000-0000-0000-0000-000000000000';

export const jobRender: Command = command(
  {
    name: 'job render',
    summary: 'print every object that the operator would create for a job, as YAML',
    operands: { usage: '', least: 0, most: 0 },
    about: `Prints what the operator creates for each SwarmJob of the file when it admits it: for more than one rank a Service and a ConfigMap with
the hosts, and the Indexed Job, which is created suspended. Deadlines of a SwarmQueue count if the queue is in the same files; the Job has a
second more, as a comment says. It needs no cluster. The API server sets the UID of the job, which is in the owner reference of each object; here
it is ${UNKNOWN_UID}.

Exit codes: 0 all objects were printed, 1 the operator or the API server would refuse a job (each reason is shown, and nothing is printed),
2 wrong command line, or the file cannot be read.`,
    examples: [['swarmctl job render -f job.yaml', 'see the pods before they are created']],
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
        help: 'the namespace of jobs that have none',
      },
    },
  },
  async ({ values: { file, namespace } }, terminal) => {
    if (file.length === 0) throw new CommandError('--file: expected a file with a SwarmJob');
    const objects = readManifests(file)
      .flatMap(objectsIn)
      .map((it) => ({ ...it, metadata: { namespace, ...it.metadata, uid: UNKNOWN_UID } }));
    const jobs = objects.filter(({ kind }) => kind === kinds.SwarmJob.kind);
    if (jobs.length === 0) throw new CommandError(`no SwarmJob is in ${file.join(', ')}`);
    // Rules take a while to load, and no other command waits for them.
    const { checkSpec: check } = await import('../../validate/check.ts');
    const made = jobs.map((object) => madeFor(object, objects, check, terminal));
    if (made.includes(undefined)) return exitCodes.no;
    const all = made.flatMap((it) => it ?? []);
    terminal.out(all.join('---\n').trimEnd());
    return exitCodes.ok;
  },
);

/** As YAML. Undefined: the job would be refused, and why is told. */
function madeFor(
  object: KubeObject,
  objects: readonly KubeObject[],
  check: typeof checkSpec,
  terminal: Terminal,
): readonly string[] | undefined {
  const job = parseSwarmJob(object);
  const { metadata } = object;
  const { problems } = check('SwarmJob', { metadata, spec: object['spec'] ?? {} });
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
  const facts = { spec, queue: defaultsOf(spec.queueName, objects) };
  const deadline = deadlineSeconds(facts);
  const signalSeconds = nextSignalSeconds(facts);
  const leftSeconds = deadline && secondsOfAttempt(deadline, 0, signalSeconds);
  const attempt = { grant: 2, attempt: 1, ranSeconds: 0, leftSeconds, signalSeconds };
  const gang = spec.size > 1 ? [serviceObject(made), hostsObject(made)] : [];
  return [
    ...gang.map(yamlOf),
    withDeadlineTold(yamlOf(batchJobObject(made, attempt)), deadline, signalSeconds),
  ];
}

/** That of the Job itself: one of its pods is further to the right. */
const DEADLINE = /^ {2}activeDeadlineSeconds:/m;

function withDeadlineTold(yaml: string, deadline: number | undefined, signal: number): string {
  if (deadline === undefined) return yaml;
  const time =
    signal === 0
      ? `the deadline of ${deadline} s`
      : `the deadline of ${deadline} s without the last ${signal} s, in which the pods end`;
  const comment = `  # A second more than ${time}, so that the operator, which says why, comes first.`;
  return yaml.replace(DEADLINE, `${comment}\n$&`);
}

function defaultsOf(name: string, objects: readonly KubeObject[]) {
  const queue = objects.find(
    ({ kind, metadata }) => kind === kinds.SwarmQueue.kind && metadata.name === name,
  );
  const { spec } = queue === undefined ? {} : parseSwarmQueue(queue);
  if (spec?.ok !== true) return {};
  const { jobDefaults, maxActiveDeadlineSeconds } = spec.value;
  const { activeDeadlineSeconds, deadlineSignalSeconds } = jobDefaults;
  return { activeDeadlineSeconds, deadlineSignalSeconds, maxActiveDeadlineSeconds };
}

const yamlOf = (object: KubeObject): string =>
  dump(JSON.parse(JSON.stringify(object)), { lineWidth: -1, noRefs: true });
