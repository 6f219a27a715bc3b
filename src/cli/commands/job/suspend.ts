// swarmctl job suspend and resume: may a job run? Written to spec.suspend.
import { kinds } from '../../../api/kinds.ts';
import { hasEnded } from '../../../api/swarm-job.ts';
import {
  type Command,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { type Cluster, readJob, withCluster } from '../../cluster/connect.ts';

export const jobSuspend: Command = command(
  {
    name: 'job suspend',
    summary: 'stop a job until it is resumed; it gives its quota back and keeps its place',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Sets spec.suspend. The pods of a running job end, and their work is lost unless the program has saved it. A waiting job is not admitted.
\`swarmctl job resume JOB\` queues the job again; its age counts from when it was created.

${jobExitCodes}
1 means: the job has ended; nothing was changed.`,
    examples: [['swarmctl job suspend lammps', 'another job is more urgent']],
    flags: jobFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, (cluster) => setSuspended(cluster, name, true, terminal)),
);

export const jobResume: Command = command(
  {
    name: 'job resume',
    summary: 'queue a suspended job again; it starts from the beginning',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Clears spec.suspend. \`swarmctl job why JOB\` shows what the job waits for until it starts.

${jobExitCodes}
1 means: the job has ended; nothing was changed.`,
    examples: [['swarmctl job resume lammps', 'there is room again']],
    flags: jobFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, (cluster) => setSuspended(cluster, name, false, terminal)),
);

async function setSuspended(
  cluster: Cluster,
  name: string,
  suspend: boolean,
  terminal: Terminal,
): Promise<number> {
  const { api, namespace } = cluster;
  const job = await readJob(cluster, name);
  const what = `SwarmJob ${namespace}/${name}`;
  if (hasEnded(job)) {
    terminal.problem(`${what} has ended (${job.status?.state}): nothing was changed`);
    return exitCodes.no;
  }
  const isSuspended = job.spec.ok && job.spec.value.suspend;
  if (isSuspended === suspend) {
    terminal.out(`${what} is ${suspend ? 'suspended already' : 'not suspended'}`);
    return exitCodes.ok;
  }
  const body = { metadata: { uid: job.meta.uid }, spec: { suspend } };
  await api.patch(kinds.SwarmJob, { namespace, name }, { type: 'merge', body });
  terminal.out(
    suspend
      ? `${what} is suspended: it gives its quota back, and keeps its place`
      : `${what} is queued again`,
  );
  return exitCodes.ok;
}
