// swarmctl queue plan: would a job start if it were submitted now, and if not, why?
import { kinds } from '../../../api/kinds.ts';
import type { KubeObject } from '../../../api/objects.ts';
import type { Values } from '../../../flags.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  output,
  queueExitCodes,
  queueFlags,
} from '../../arguments/command.ts';
import { print } from '../../arguments/terminal.ts';
import { withCluster } from '../../cluster/connect.ts';
import { objectsIn, readManifests } from '../../files/read.ts';
import { sourceOf } from '../../files/source.ts';
import type { JobPlan } from '../../job/plan.ts';
import { jobPlanLines } from '../../views/job-plan.ts';

const flags = {
  file: {
    type: 'texts',
    value: 'FILE',
    short: 'f',
    help: 'the SwarmJobs as you would apply them (a file, a folder, or - for standard input)',
  },
  files: {
    type: 'texts',
    value: 'FILE',
    help: 'read the queues and all else from this file or folder, not from a cluster; repeatable',
  },
  output,
  ...queueFlags,
} as const;

export const queuePlan: Command = command(
  {
    name: 'queue plan',
    summary: 'show whether a job would start now, and if not, why; changes nothing',
    operands: { usage: '', least: 0, most: 0 },
    about: `Makes the operator's decision for each SwarmJob of the file, as if you applied it now, from the current state of the cluster, or with
--files from manifests alone. Several jobs are applied together; they go after the waiting jobs of the same priority.
The table of each job shows the quota before any of them starts.

${queueExitCodes}
1 means: a job would not start.`,
    examples: [
      ['swarmctl queue plan -f job.yaml', 'if this were applied now'],
      ['swarmctl queue plan -f job.yaml --files queue.yaml', 'without a cluster'],
    ],
    flags,
  },
  async ({ values }, terminal) => {
    if (values.file.length === 0) throw new CommandError('--file: expected a file with a SwarmJob');
    const jobs = readManifests(values.file).flatMap(objectsIn).filter(isJob);
    if (jobs.length === 0) throw new CommandError(`no SwarmJob is in ${values.file.join(', ')}`);
    const plans = await (values.files.length > 0 ? onFiles(jobs, values) : onCluster(jobs, values));
    const now = Date.now();
    print(terminal, values.output, plans, () =>
      plans.flatMap((plan, at) => [
        ...(at > 0 ? [''] : []),
        ...jobPlanLines(plan, plans.length, terminal.width, now),
      ]),
    );
    return plans.every(({ starts }) => starts) ? exitCodes.ok : exitCodes.no;
  },
);

const isJob = ({ kind }: KubeObject): boolean => kind === kinds.SwarmJob.kind;

type Given = Values<typeof flags>;

const onCluster = (jobs: readonly KubeObject[], values: Given): Promise<readonly JobPlan[]> =>
  withCluster(values, async ({ api, namespace }) =>
    inNamespaces(jobs, values.namespace, namespace, async (at, own) => {
      const { planJobs } = await import('../../job/plan.ts');
      return planJobs(api, at, own, Date.now());
    }),
  );

const onFiles = async (jobs: readonly KubeObject[], values: Given): Promise<readonly JobPlan[]> => {
  const objects = readManifests(values.files).flatMap(objectsIn);
  return inNamespaces(jobs, values.namespace, 'default', async (at, own) => {
    const { planJobs } = await import('../../job/plan.ts');
    // Manifests without a namespace are for that of the jobs.
    return planJobs(sourceOf(objects, at), at, own, Date.now());
  });
};

async function inNamespaces(
  jobs: readonly KubeObject[],
  given: string | undefined,
  fallback: string,
  plan: (namespace: string, jobs: readonly KubeObject[]) => Promise<readonly JobPlan[]>,
): Promise<readonly JobPlan[]> {
  const byNamespace = Map.groupBy(jobs, ({ metadata }) => given ?? metadata.namespace ?? fallback);
  const all: JobPlan[] = [];
  for (const [namespace, own] of byNamespace) all.push(...(await plan(namespace, own)));
  return all;
}
