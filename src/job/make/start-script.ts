// What does the first process of a rank do that waits for the others, or has another command than
// the leader? The text of a script for any POSIX shell, in the image of the user.
import { START_FAILED } from '../../api/job-pod.ts';
import { hasLeader, startsTogether } from '../../api/swarm-job.ts';
import type { SwarmJobSpec } from '../../api/validate.ts';

/** Its key in the ConfigMap of the job, and its name below FILES_PATH. */
export const START_KEY = 'start';

export const needsStart = (spec: SwarmJobSpec): boolean => startsTogether(spec) || hasLeader(spec);

/**
 * Its names begin with swarm_: the command inherits variables that are exported, and a function would
 * hide a program of its name. Later versions keep the arguments and files: they replace the script
 * while batch Jobs of earlier versions make pods.
 */
export const startScript = `\
# Starts this rank of the job; the operator has written this file.
# sh start all COMMAND...         Every rank runs the command.
# sh start N WORD... COMMAND...   Rank 0 runs the command, the others the first N words; they wait if N is 0.
set -u
swarm_files=\${0%/*}
read -r swarm_rank <"$swarm_files/rank" || [ -n "$swarm_rank" ]

swarm_fail() {
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
    # Many ranks of one machine that look often would slow it down.
    swarm_pause=0.1
    [ "$swarm_tries" -lt 10 ] || swarm_pause=0.5
    swarm_tries=$((swarm_tries + 1))
    sleep "$swarm_pause" 2>/dev/null || sleep 1 || swarm_fail 'the image has no program sleep'
  done
  (swarm_write_names)
}

# With the names in the hosts file of the pod, nobody asks DNS for them.
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

swarm_run() {
  command -v -- "$1" >/dev/null || swarm_fail "the image has no program $1"
  trap - TERM INT
  exec "$@"
}

swarm_wait_for_end() {
  while :; do
    sleep 3600 >/dev/null 2>&1 &
    trap 'kill "$!"; exit 143' TERM INT
    wait "$!"
  done
}

swarm_wait_for_all
swarm_count=$1
shift
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
