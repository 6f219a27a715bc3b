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
    help: 'the SwarmJobs to be submitted (a file, a folder, or - for standard input)',
  },
  files: {
    type: 'texts',
    value: 'FILE',
    help: 'no cluster: the queues and all else are in this file or folder; as often as you like',
  },
  output,
  ...queueFlags,
} as const;

export const queuePlan: Command = command(
  {
    name: 'queue plan',
    summary: 'would a job start now, and if not, why; nothing is touched',
    operands: { usage: '', least: 0, most: 0 },
    about: `Decides like the operator, by its own function, whether each SwarmJob of the file would be admitted at this moment: from what is in the
cluster, or with --files from manifests alone. Several jobs are looked at together, and go after those of their priority that wait already.

${queueExitCodes}
1 is: a job would not start.`,
    examples: [
      ['swarmctl queue plan -f job.yaml', 'if this were applied now'],
      ['swarmctl queue plan -f job.yaml --files queue.yaml', 'without a cluster'],
    ],
    flags,
  },
  async ({ values }, terminal) => {
    if (values.file.length === 0)
      throw new CommandError('--file: FILE is missing; it has the SwarmJob to be submitted');
    const jobs = readManifests(values.file).flatMap(objectsIn).filter(isJob);
    if (jobs.length === 0) throw new CommandError(`no SwarmJob is in ${values.file.join(', ')}`);
    const plans = await (values.files.length > 0 ? onFiles(jobs, values) : onCluster(jobs, values));
    print(terminal, values.output, plans, () =>
      plans.flatMap((plan, at) => [...(at > 0 ? [''] : []), ...jobPlanLines(plan, terminal.width)]),
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
