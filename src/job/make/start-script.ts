// What does the first process of a rank do that waits for the others, or has another command than
// the leader? The text of a script for any POSIX shell, in the image of the user.
import { START_FAILED } from '../../api/job-pod.ts';
import { hasLeader, KEYS_PATH, RUN_PATH, startsTogether, usesSsh } from '../../api/swarm-job.ts';
import type { SwarmJobSpec } from '../../api/validate.ts';

/** Its key in the ConfigMap of the job, and its name below FILES_PATH. */
export const START_KEY = 'start';

export const needsStart = (spec: SwarmJobSpec): boolean => startsTogether(spec) || hasLeader(spec);

/** sshd may run without root. */
const SSH_PORT = 2222;

/** The words before the command of the user. */
export function startWords(spec: SwarmJobSpec): readonly string[] {
  const { workerCommand = [], tasks = spec.size, port = SSH_PORT } = spec.launcher;
  if (usesSsh(spec)) return ['mpi', String(tasks), String(port)];
  return hasLeader(spec) ? [String(workerCommand.length), ...workerCommand] : ['all'];
}

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
# sh start task                   sshd runs this for each process that rank 0 starts.
set -u
swarm_files=\${0%/*}
swarm_keys=${KEYS_PATH}
swarm_own=${RUN_PATH}

if [ "$1" = task ]; then
  # Bash refuses some of its own variables, and would end here as a POSIX shell.
  (set +o posix) 2>/dev/null && set +o posix
  . "$swarm_own/env" 2>/dev/null
  exec /bin/sh -c "\${SSH_ORIGINAL_COMMAND:-exec /bin/sh}"
fi

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

# Open MPI and MPICH start processes by the program ssh of this folder, Open MPI from every rank.
swarm_prepare_ssh() {
  command -v ssh >/dev/null || swarm_fail 'the image has no program ssh (openssh-client)'
  umask 077
  cat "$swarm_keys/user_key" >"$swarm_own/user_key"
  read -r host_key <"$swarm_keys/host_key.pub"
  echo "* $host_key" >"$swarm_own/known_hosts"
  {
    echo "Port $swarm_port"
    echo "IdentityFile $swarm_own/user_key"
    echo "IdentitiesOnly yes"
    echo "UserKnownHostsFile $swarm_own/known_hosts"
    echo "GlobalKnownHostsFile /dev/null"
    echo "StrictHostKeyChecking yes"
    echo "BatchMode yes"
    echo "ConnectTimeout 5"
    echo "ConnectionAttempts 30"
    echo "LogLevel ERROR"
  } >"$swarm_own/ssh_config"
  printf '#!/bin/sh\\nexec ssh -F %s/ssh_config "$@"\\n' "$swarm_own" >"$swarm_own/ssh"
  chmod 700 "$swarm_own/ssh"
}

# The tasks are spread evenly over the ranks. MPICH takes no IPv6 address, but its name.
swarm_write_host_files() {
  list=$swarm_files/addresses
  [ -e "$list" ] || list=$swarm_files/hosts
  read -r size <"$swarm_files/size" || [ -n "$size" ]
  number=0
  while read -r host rest <&5 && read -r name <&6; do
    slots=$((swarm_tasks / size))
    [ "$number" -ge $((swarm_tasks % size)) ] || slots=$((slots + 1))
    [ "$slots" != 0 ] || continue
    case $host in
      '' | -* | *[!0-9a-zA-Z:.-]*) swarm_fail "rank $number has no address" ;;
      *:*) ;;
      *) name=$host ;;
    esac
    number=$((number + 1))
    echo "$host slots=$slots" >&3
    echo "$name:$slots" >&4
  done 5<"$list" 6<"$swarm_files/hosts" 3>"$swarm_own/openmpi-hosts" 4>"$swarm_own/mpich-hosts"
}

# On every rank: what rank 0 starts there may start more.
swarm_export_mpi() {
  export SWARM_TASKS="$swarm_tasks"
  export OMPI_MCA_plm_rsh_agent="$swarm_own/ssh" PRTE_MCA_plm_ssh_agent="$swarm_own/ssh"
  export OMPI_MCA_orte_default_hostfile="$swarm_own/openmpi-hosts"
  export PRTE_MCA_prte_default_hostfile="$swarm_own/openmpi-hosts"
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$swarm_own/ssh"
  export HYDRA_HOST_FILE="$swarm_own/mpich-hosts"
}

swarm_lead_mpi() {
  (swarm_prepare_ssh) || exit
  swarm_wait_for_all
  (swarm_write_host_files) || exit
  swarm_export_mpi
  swarm_run "$@"
}

# The sshd of a rank starts before all ranks are there, since it does no work itself.
swarm_serve_mpi() {
  PATH=$PATH:/usr/sbin:/sbin
  swarm_sshd=$(command -v sshd) || swarm_fail 'the image has no program sshd (openssh-server)'
  swarm_export_mpi
  (umask 077 && export -p >"$swarm_own/env")
  (swarm_prepare_ssh && swarm_prepare_sshd) || exit
  swarm_problem=$("$swarm_sshd" -t -f "$swarm_own/sshd_config" 2>&1) ||
    swarm_fail "sshd does not start: $swarm_problem"
  trap 'swarm_ending=yes' TERM INT
  "$swarm_sshd" -D -e -f "$swarm_own/sshd_config" &
  swarm_server=$!
  swarm_wait_for_all
  while swarm_goes_on; do
    sleep 1 >/dev/null 2>&1 &
    wait "$!"
  done
  if [ -z "$swarm_ending" ]; then
    wait "$swarm_server"
    exit
  fi
  # The processes that rank 0 has started here go on until they have ended.
  while swarm_has_tasks; do sleep 0.5 2>/dev/null || sleep 1; done
  kill "$swarm_server" 2>/dev/null
  exit 143
}

# This shell and sshd are processes, too.
swarm_has_tasks() {
  set -- /proc/[0-9]*
  [ "$#" -gt 2 ]
}

swarm_prepare_sshd() {
  umask 077
  if [ "$(id -u)" = 0 ]; then
    # sshd lets nobody in whose password is locked, and asks for this folder.
    case $(grep '^root:' /etc/shadow 2>/dev/null) in
      'root:!'*) swarm_fail "root is locked in /etc/shadow: usermod -p '*' root" ;;
    esac
    mkdir -p /run/sshd
  fi
  cat "$swarm_keys/host_key" >"$swarm_own/host_key"
  cat "$swarm_keys/user_key.pub" >"$swarm_own/authorized_keys"
  {
    echo "Port $swarm_port"
    echo "HostKey $swarm_own/host_key"
    echo "AuthorizedKeysFile $swarm_own/authorized_keys"
    echo "ForceCommand /bin/sh $swarm_files/start task"
    echo "AuthenticationMethods publickey"
    echo "PermitRootLogin prohibit-password"
    echo "StrictModes no"
    echo "UsePAM no"
    echo "AllowTcpForwarding no"
    echo "X11Forwarding no"
    echo "PidFile none"
    echo "MaxStartups 1000"
    echo "LogLevel ERROR"
  } >"$swarm_own/sshd_config"
}

swarm_count=$1
shift
if [ "$swarm_count" = mpi ]; then
  swarm_tasks=$1
  swarm_port=$2
  shift 2
  [ "$swarm_rank" = 0 ] || swarm_serve_mpi
  swarm_lead_mpi "$@"
fi
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
