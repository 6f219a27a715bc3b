// What does the first process of a rank do that waits for the others, or has another command than
// the leader? The text of a script for any POSIX shell, in the image of the user.
import { START_FAILED } from '../../api/job-pod.ts';
import { hasLeader, KEYS_PATH, RUN_PATH, startsTogether } from '../../api/swarm-job.ts';
import type { SwarmJobSpec } from '../../api/validate.ts';
import { fluxFiles, fluxFunctions, fluxRun, fluxWords } from './script-flux.ts';
import { mpiFunctions } from './script-mpi.ts';

/** Its key in the ConfigMap of the job, and its name below FILES_PATH. */
export const START_KEY = 'start';

export const needsStart = (spec: SwarmJobSpec): boolean => startsTogether(spec) || hasLeader(spec);

/** sshd may run without root. */
const SSH_PORT = 2222;

/** The words before the command of the user. `graceSeconds`: that of its pods. */
export function startWords(spec: SwarmJobSpec, graceSeconds: number): readonly string[] {
  const { type, workerCommand = [], tasks = spec.size, port = SSH_PORT } = spec.launcher;
  if (!hasLeader(spec)) return ['all'];
  switch (type) {
    case 'MPI':
      return ['mpi', String(tasks), String(port)];
    case 'Flux':
      return fluxWords(spec, graceSeconds);
    case 'Leader':
    case 'None':
      return [String(workerCommand.length), ...workerCommand];
    default:
      return type satisfies never;
  }
}

/** What the script reads of its pod, besides what each rank has. */
export const startFiles = ({ launcher }: SwarmJobSpec): readonly object[] =>
  launcher.type === 'Flux' ? fluxFiles : [];

/**
 * Its names begin with swarm_: the command inherits variables that are exported, and a function
 * would hide a program of its name. Later versions keep the arguments and files: they replace the
 * script while batch Jobs of earlier versions make pods.
 */
export const startScript = `\
# Starts this rank of the job; the operator has written this file.
# sh start all COMMAND...         Every rank runs the command.
# sh start N WORD... COMMAND...   Rank 0 runs the command, the others the first N words; they wait if N is 0.
# sh start mpi TASKS PORT COMMAND...   Rank 0 runs the command, the others run sshd.
# sh start flux TASKS PORT GPUS SECONDS COMMAND...   All ranks run a broker, and rank 0 the command by it.
# sh start task                   sshd runs this for each process that rank 0 starts.
# sh start flux-run TASKS COMMAND...   The broker of rank 0 runs this.
set -u
swarm_files=\${0%/*}
swarm_keys=${KEYS_PATH}
swarm_own=${RUN_PATH}

if [ "$1" = task ]; then
  # Rank 0 may have seen earlier than this rank that all are there.
  until [ -e "$swarm_own/ready" ]; do sleep 0.1 2>/dev/null || sleep 1; done
  # Bash refuses some of its own variables, and would end here as a POSIX shell.
  (set +o posix) 2>/dev/null && set +o posix
  . "$swarm_own/env" 2>/dev/null
  exec /bin/sh -c "\${SSH_ORIGINAL_COMMAND:-exec /bin/sh}"
fi

read -r swarm_rank <"$swarm_files/rank" || [ -n "$swarm_rank" ]
read -r swarm_size <"$swarm_files/size" || [ -n "$swarm_size" ]

${fluxRun}swarm_fail() {
  echo "${START_FAILED}$1" >&2
  [ ! -w /dev/termination-log ] || echo "${START_FAILED}$1" >/dev/termination-log
  exit 127
}

# The first process of a container ignores signals that it does not trap.
trap 'exit 143' TERM INT

# The file exists if the job starts together. It is empty until all ranks are there.
swarm_wait_for_all() {
  [ -e "$swarm_files/addresses" ] || return 0
  swarm_tries=0
  until [ -s "$swarm_files/addresses" ]; do
    swarm_goes_on || return 0
    # Many ranks of one machine that look often would slow it down.
    swarm_pause=0.1
    [ "$swarm_tries" -lt 10 ] || swarm_pause=0.5
    swarm_tries=$((swarm_tries + 1))
    sleep "$swarm_pause" 2>/dev/null || sleep 1 || swarm_fail 'the image has no program sleep'
  done
  (swarm_write_names)
}

# Not where this rank is told to end while it serves, or its sshd has ended.
swarm_ending=
swarm_server=
swarm_goes_on() {
  [ -z "$swarm_ending" ] || return 1
  [ -z "$swarm_server" ] || kill -0 "$swarm_server" 2>/dev/null
}

# Programs find these names in the hosts file of the pod, and need not ask DNS.
swarm_write_names() {
  swarm_is_of_pod || return 0
  while read -r host <&3 && read -r address rest <&4; do
    case $address in '' | *[!0-9a-fA-F:.]*) continue ;; esac
    echo "$address $host \${host%%.*}"
  done 3<"$swarm_files/hosts" 4<"$swarm_files/addresses" >>/etc/hosts
}

# The kubelet has written the file for this pod, and the user may change it.
swarm_is_of_pod() {
  [ -w /etc/hosts ] && read -r line </etc/hosts || return 1
  case $line in '# Kubernetes-managed hosts file'*) ;; *) return 1 ;; esac
  number=0
  while [ "$number" -le "$swarm_rank" ] && read -r address; do
    own=$address
    number=$((number + 1))
  done <"$swarm_files/addresses"
  while read -r address line; do
    [ "$address" != "$own" ] || return 0
  done </etc/hosts
  return 1
}

swarm_need() {
  command -v -- "$1" >/dev/null || swarm_fail "the image has no program $1"
}

swarm_run() {
  swarm_need "$1"
  exec "$@"
}

# Writes the variables for processes that start here later. Only the user of this rank may read the file.
swarm_keep_variables() {
  (umask 077 && export -p >"$swarm_own/env")
}

swarm_wait_for_end() {
  while :; do
    sleep 3600 >/dev/null 2>&1 &
    trap 'kill "$!"; exit 143' TERM INT
    wait "$!"
  done
}

${mpiFunctions}${fluxFunctions}swarm_count=$1
shift
case $swarm_count in
  mpi)
    swarm_tasks=$1 swarm_port=$2
    shift 2
    [ "$swarm_rank" = 0 ] || swarm_serve_mpi
    swarm_lead_mpi "$@"
    ;;
  flux)
    swarm_tasks=$1 swarm_port=$2 swarm_gpus=$3 swarm_grace=$4
    shift 4
    swarm_start_flux "$@"
    ;;
esac
swarm_wait_for_all
[ "$swarm_count" != all ] || swarm_run "$@"
if [ "$swarm_rank" = 0 ]; then
  shift "$swarm_count"
  swarm_run "$@"
fi
[ "$swarm_count" != 0 ] || swarm_wait_for_end
# Keeps the first words only.
swarm_number=0
for swarm_word do
  shift
  [ "$swarm_number" -ge "$swarm_count" ] || set -- "$@" "$swarm_word"
  swarm_number=$((swarm_number + 1))
done
swarm_run "$@"
`;
