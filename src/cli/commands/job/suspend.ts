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
    summary: 'a job gives its quota back, and keeps its place in the order',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Sets spec.suspend. The pods of a job that runs end, and what they have done so far is lost unless the program has saved it. A job that waits
is not admitted. \`swarmctl job resume JOB\` queues it again, with the age that it has.

${jobExitCodes}
1 is: the job has ended; nothing is changed.`,
    examples: [['swarmctl job suspend lammps', 'another job is more urgent']],
    flags: jobFlags,
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, (cluster) => setSuspended(cluster, name, true, terminal)),
);

export const jobResume: Command = command(
  {
    name: 'job resume',
    summary: 'a suspended job is queued again, and starts anew when there is room',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Takes spec.suspend away. \`swarmctl job why JOB\` says when it starts, and what it waits for until then.

${jobExitCodes}
1 is: the job has ended; nothing is changed.`,
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
    terminal.problem(`${what} has ended (${job.status?.state}): nothing is changed`);
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
