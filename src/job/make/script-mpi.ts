// What does a rank of an MPI job do before its command? Functions of the start script.

export const mpiFunctions = `\
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
  number=0
  while read -r host rest <&5 && read -r name <&6; do
    slots=$((swarm_tasks / swarm_size))
    [ "$number" -ge $((swarm_tasks % swarm_size)) ] || slots=$((slots + 1))
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
  swarm_keep_variables
  swarm_run "$@"
}

# The sshd of a rank starts before all ranks are there, since it does no work itself.
swarm_serve_mpi() {
  PATH=$PATH:/usr/sbin:/sbin
  swarm_sshd=$(command -v sshd) || swarm_fail 'the image has no program sshd (openssh-server)'
  swarm_export_mpi
  swarm_keep_variables
  (swarm_prepare_ssh && swarm_prepare_sshd) || exit
  swarm_problem=$("$swarm_sshd" -t -f "$swarm_own/sshd_config" 2>&1) ||
    swarm_fail "sshd does not start: $swarm_problem"
  trap 'swarm_ending=yes' TERM INT
  "$swarm_sshd" -D -e -f "$swarm_own/sshd_config" &
  swarm_server=$!
  swarm_wait_for_all
  : >"$swarm_own/ready"
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

`;
