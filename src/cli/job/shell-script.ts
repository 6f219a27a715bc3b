// What runs in a rank before the shell or the command of a user? The text of a script for any POSIX
// shell, in the image of the user.
import { RUN_PATH } from '../../api/swarm-job.ts';

/**
 * The first process of a rank has written the variables with which `flux` and `mpirun` work, if the
 * job has such a launcher. Bash refuses some of its own variables, and would end here as a POSIX
 * shell; other shells end where `.` finds no file.
 */
const script = `\
(set +o posix) 2>/dev/null && set +o posix
[ ! -r ${RUN_PATH}/env ] || . ${RUN_PATH}/env 2>/dev/null
[ "$#" = 0 ] || exec "$@"
command -v bash >/dev/null && exec bash
exec sh
`;

export const SHELL = '/bin/sh';

/** Without a `command`: an interactive shell. The name is that of messages of the shell. */
export const shellWords = (command: readonly string[]): readonly string[] => [
  SHELL,
  '-c',
  script,
  'swarmctl',
  ...command,
];
