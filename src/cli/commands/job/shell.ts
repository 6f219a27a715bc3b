// swarmctl job shell: how does a user get into a rank of a job?
import { MAIN } from '../../../api/swarm-job.ts';
import {
  type Command,
  CommandError,
  command,
  jobExitCodes,
  jobFlags,
} from '../../arguments/command.ts';
import { readJob, withCluster } from '../../cluster/connect.ts';
import { requireRank } from '../../job/named-rank.ts';
import { SHELL, shellWords } from '../../job/shell-script.ts';
import { streamsFor } from '../../job/shell-streams.ts';
import { shellTarget, whyLauncherFails } from '../../job/shell-target.ts';

const MOST_WORDS = 1_000;

export const jobShell: Command = command(
  {
    name: 'job shell',
    summary: 'open a shell in a rank of a job, or run a command in it',
    operands: { usage: 'JOB [COMMAND...]', least: 1, most: 1 + MOST_WORDS },
    about: `Opens bash, or sh where the image has no bash, in the container ${MAIN} of a rank that runs; or runs COMMAND there. It has the variables of
the job's launcher: of type Flux, \`flux run\`, \`flux submit\` and \`flux jobs\` work in it; of type MPI, \`mpirun\` works on rank 0. Flags come before \`--\`,
and the command after it.

On a terminal, the shell or the command has one, too. From a pipe or a file it reads until that ends; standard output and standard error stay
apart. A command whose output you send to a pipe or a file reads nothing from your terminal.

${jobExitCodes}
If the shell or the command has run, the exit code is its own. 2 also means: the rank does not run, or no command could be run in it.`,
    examples: [
      ['swarmctl job shell sim', 'a shell in rank 0'],
      ['swarmctl job shell sim -- flux run -n 4 hostname', 'four processes of a Flux job'],
      ['swarmctl job shell sim --rank 2 -- nvidia-smi', 'what another rank does'],
      ["echo 'flux jobs -a' | swarmctl job shell sim", 'commands from a pipe'],
    ],
    flags: {
      rank: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 4_999,
        fallback: 0,
        help: 'the rank',
      },
      ...jobFlags,
    },
  },
  ({ values, operands: [name = '', ...words] }, terminal) =>
    withCluster(values, async (cluster) => {
      const job = await readJob(cluster, name);
      requireRank(job, values.rank);
      const { pod } = await shellTarget(cluster, job, values.rank);
      const warning = whyLauncherFails(job);
      if (warning !== undefined) terminal.note(warning);
      const { execute } = await import('../../cluster/exec.ts');
      const { stdout, stderr } = process;
      const { isTerminal, stdin } = streamsFor({ stdin: process.stdin, stdout, words });
      const end = await execute(
        cluster.config,
        {
          pod: { namespace: cluster.namespace, name: pod },
          container: MAIN,
          words: shellWords(words),
          isTerminal,
        },
        { stdin, stdout, stderr },
      );
      if ('exitCode' in end) return end.exitCode;
      throw new CommandError(
        isWithoutShell(end.problem)
          ? `the image of pod ${pod} has no ${SHELL}, so that no shell can be opened in it (${end.problem})`
          : `rank ${values.rank}, pod ${pod}: ${end.problem}`,
      );
    }),
);

/** In the words of containerd, CRI-O and crun. */
const isWithoutShell = (problem: string): boolean =>
  problem.includes(SHELL) && /no such file or directory|not found/i.test(problem);
