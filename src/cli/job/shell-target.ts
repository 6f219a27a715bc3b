// In which pod does a shell of a rank open, and why in none?
import { hasEnded } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { CommandError } from '../arguments/command.ts';
import type { Cluster } from '../cluster/connect.ts';
import { listedState, reasonText } from '../views/job-status.ts';
import { type RankPod, readRanks } from './ranks.ts';

export async function shellTarget(
  { api }: Pick<Cluster, 'api'>,
  job: SwarmJob,
  rank: number,
): Promise<RankPod> {
  const { name } = job.meta;
  const what = `SwarmJob ${job.meta.namespace}/${name}`;
  const is = `it is ${listedState(job)} (${reasonText(job)})`;
  if (hasEnded(job))
    throw new CommandError(
      `${what} has ended: ${is}; \`swarmctl job logs ${name}\` shows what its ranks have written`,
    );
  const pod = (await readRanks(api, job.meta)).find((it) => it.rank === rank);
  if (pod === undefined)
    throw new CommandError(`rank ${rank} of ${what} has no pod: ${is}; ${adviceFor(job)}`);
  if (pod.container === 'running') return pod;
  const runs = pod.container === 'ended' ? 'has ended' : 'does not run yet';
  const why = pod.message === undefined ? '' : `: ${pod.message}`;
  throw new CommandError(
    `rank ${rank} of ${what} ${runs}: pod ${pod.pod} is ${pod.state}${why}; ${adviceFor(job)}`,
  );
}

const adviceFor = ({ meta: { name }, status }: SwarmJob): string =>
  status?.state === 'Suspended'
    ? `\`swarmctl job resume ${name}\` queues it again`
    : `\`swarmctl job why ${name}\` says more`;

/** Why the launcher does not work yet: the rank waits for the others. */
export function whyLauncherFails({ spec, status }: SwarmJob): string | undefined {
  const { type = 'None' } = (spec.ok ? spec.value.launcher : undefined) ?? {};
  const program = { Flux: 'flux', MPI: 'mpirun' }[type as string];
  if (program === undefined || status?.state !== 'Starting') return undefined;
  return `not all ranks run yet; \`${program}\` works only in a shell that is opened after all of them run`;
}
