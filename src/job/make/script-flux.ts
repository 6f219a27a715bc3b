// What does a rank of a Flux job do before its command? Functions of the start script, and what
// they get to know of the job.
import { asList, asRecord, dig } from '../../api/objects.ts';
import { MAIN, podSpecOf } from '../../api/swarm-job.ts';
import type { SwarmJobSpec } from '../../api/validate.ts';

const PORT = 8050;

/**
 * The file with the requested millicores of the rank, below FILES_PATH. A LimitRange may have
 * added the request: the pod knows it, and the spec of the job does not.
 */
const CPU_KEY = 'cpu';

/** Of the downward API. */
export const fluxFiles: readonly object[] = [
  {
    path: CPU_KEY,
    resourceFieldRef: { containerName: MAIN, resource: 'requests.cpu', divisor: '1m' },
  },
];

/** `graceSeconds`: the time that its processes have to end after SIGTERM. */
export function fluxWords(spec: SwarmJobSpec, graceSeconds: number): readonly string[] {
  const { tasks = spec.size, port = PORT } = spec.launcher;
  return ['flux', ...[tasks, port, gpusOf(spec), Math.max(1, graceSeconds)].map(String)];
}

/** GPUs of each rank: `nvidia.com/gpu`, `amd.com/gpu` and the like. */
function gpusOf(spec: SwarmJobSpec): number {
  const main = asList(podSpecOf(spec)['containers']).find((it) => dig(it, 'name') === MAIN);
  const limits = Object.entries(asRecord(dig(main, 'resources', 'limits')) ?? {});
  const counts = limits.filter(([name]) => name.endsWith('/gpu')).map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + (Number.isInteger(count) ? count : 0), 0);
}

/**
 * What the broker of rank 0 runs: a process to which SIGTERM can be sent, and its command. The pods
 * are the command's alone: its processes see all GPUs, which Flux hides where none are asked for.
 */
export const fluxRun = `\
if [ "$1" = flux-run ]; then
  swarm_nodes=$swarm_size
  [ "$2" -ge "$swarm_size" ] || swarm_nodes=$2
  swarm_tasks=$2
  shift 2
  echo "$$" >"$swarm_own/flux-run"
  exec flux run -o gpu-affinity=off -N "$swarm_nodes" -n "$swarm_tasks" -- "$@"
fi

`;

export const fluxFunctions = `\
# All ranks run a broker. That of rank 0 runs the command, or waits for users who submit to it.
swarm_start_flux() {
  command -v flux >/dev/null || swarm_fail 'the image has no program flux (flux-core)'
  [ "$#" = 0 ] || swarm_need "$1"
  swarm_wait_for_all
  (swarm_prepare_flux) || exit
  export SWARM_TASKS="$swarm_tasks"
  export FLUX_SHELL_RC_PATH="\${FLUX_SHELL_RC_PATH:+$FLUX_SHELL_RC_PATH:}$swarm_own/lua.d"
  swarm_address=local://$swarm_own/flux/local
  # The broker itself would take it for the address of an instance around its own.
  (export FLUX_URI="$swarm_address" && swarm_keep_variables)
  if [ "$swarm_rank" != 0 ]; then
    set --
  elif [ "$#" = 0 ]; then
    set -- -Sbroker.rc2_none=1
  else
    set -- /bin/sh "$swarm_files/start" flux-run "$swarm_tasks" "$@"
  fi
  trap swarm_end_flux TERM INT
  flux broker --config-path="$swarm_own/flux-config" \\
    -Srundir="$swarm_own/flux" -Slocal-uri="$swarm_address" "$@" &
  swarm_server=$!
  [ -z "$swarm_ending" ] || swarm_end_flux
  while :; do
    wait "$swarm_server"
    swarm_code=$?
    kill -0 "$swarm_server" 2>/dev/null || break
  done
  # A signal may have ended the first wait just after the broker had ended.
  wait "$swarm_server" 2>/dev/null
  swarm_again=$?
  [ "$swarm_again" = 127 ] || swarm_code=$swarm_again
  [ "$swarm_rank" != 0 ] || exit "$swarm_code"
  [ -z "$swarm_ending" ] || exit 143
  [ "$swarm_code" = 0 ] || swarm_fail_after_rank_0
  exit "$swarm_code"
}

# On SIGTERM, once the broker is known.
swarm_end_flux() {
  swarm_ending=yes
  [ -n "$swarm_server" ] || return 0
  trap : TERM INT
  if [ "$swarm_rank" = 0 ]; then swarm_end_all; else swarm_end_own; fi
}

# flux run passes SIGTERM on to the processes of all ranks, if they run; the broker would send SIGHUP.
swarm_end_all() {
  FLUX_URI=$swarm_address flux exec -q -r all touch "$swarm_own/ending-all" >/dev/null 2>&1 &
  swarm_sent=
  while { read -r swarm_process <"$swarm_own/flux-run"; } 2>/dev/null && kill "$swarm_process" 2>/dev/null; do
    swarm_sent=yes
    sleep 2
    ! swarm_shells >/dev/null || return 0
  done
  [ -n "$swarm_sent" ] || kill "$swarm_server" 2>/dev/null
}

# If rank 0 is told to end, too, it ends the processes of all ranks. If not, this rank is evicted.
swarm_end_own() {
  swarm_sent=
  while kill -0 "$swarm_server" 2>/dev/null && swarm_found=$(swarm_shells); do
    sleep 2
    [ -n "$swarm_sent" ] || [ -e "$swarm_own/ending-all" ] || kill $swarm_found 2>/dev/null
    swarm_sent=yes
  done
  # The broker tells rank 0 that they have ended.
  sleep 1
  kill "$swarm_server" 2>/dev/null
}

# Flux starts one for the processes of each of its jobs, and it passes SIGTERM on to them.
swarm_shells() {
  swarm_found=
  for swarm_file in /proc/[0-9]*/comm; do
    { read -r swarm_name <"$swarm_file"; } 2>/dev/null || continue
    [ "$swarm_name" = flux-shell ] || continue
    swarm_file=\${swarm_file%/comm}
    swarm_found="$swarm_found \${swarm_file##*/}"
  done
  echo "$swarm_found"
  [ -n "$swarm_found" ]
}

# A broker fails with that of rank 0, whose exit code and log should count: SIGTERM follows then.
swarm_fail_after_rank_0() {
  trap 'exit "$swarm_code"' TERM INT
  sleep 10 >/dev/null 2>&1 &
  wait "$!"
}

swarm_prepare_flux() {
  umask 077
  mkdir -p "$swarm_own/flux" "$swarm_own/flux-config" "$swarm_own/lua.d"
  cat "$swarm_keys/curve.cert" >"$swarm_own/curve.cert"
  swarm_write_flux_shell >"$swarm_own/lua.d/k8slab.lua"
  swarm_write_flux_config >"$swarm_own/flux-config/k8slab.toml"
}

# What Flux reads on each rank before it starts processes there.
swarm_write_flux_shell() {
  # Pods of one node would otherwise bind their processes to the same cores.
  echo "shell.options['cpu-affinity'] = shell.options['cpu-affinity'] or 'off'"
  # Flux gives the processes the variables of the submitter; these are set to those of their own pod.
  echo "shell.setenv('SWARM_RANK', '$swarm_rank')"
  echo "shell.setenv('JOB_COMPLETION_INDEX', '$swarm_rank')"
  case \${HOSTNAME-} in '' | *[!0-9a-zA-Z.-]*) ;; *) echo "shell.setenv('HOSTNAME', '$HOSTNAME')" ;; esac
}

swarm_write_flux_config() {
  echo '[bootstrap]'
  echo "curve_cert = \\"$swarm_own/curve.cert\\""
  echo "default_port = $swarm_port"
  case $(cat "$swarm_files/addresses") in *:*) echo 'enable_ipv6 = true' ;; esac
  echo 'hosts = ['
  number=0
  while read -r address rest <&5 && read -r name <&6; do
    case $address in
      '' | *[!0-9a-fA-F:.]*) swarm_fail "rank $number has no address" ;;
      *:*) address="[$address]" ;;
    esac
    number=$((number + 1))
    echo "  { host = \\"\${name%%.*}\\", bind = \\"tcp://$address:%p\\", connect = \\"tcp://$address:%p\\" },"
  done 5<"$swarm_files/addresses" 6<"$swarm_files/hosts"
  echo ']'
  echo '[exec]'
  echo "kill-timeout = \\"\${swarm_grace}s\\""
  echo '[resource]'
  echo 'noverify = true'
  swarm_write_flux_cores
}

# Without a request of CPUs Flux counts the cores of each node.
swarm_write_flux_cores() {
  read -r cpu <"$swarm_files/${CPU_KEY}" || [ -n "$cpu" ]
  [ "$cpu" -gt 0 ] || return 0
  cores=$((cpu / 1000))
  least=$(((swarm_tasks + swarm_size - 1) / swarm_size))
  [ "$cores" -ge "$least" ] || cores=$least
  read -r name <"$swarm_files/hosts"
  name=\${name%%.*}
  echo '[[resource.config]]'
  echo "hosts = \\"\${name%0}[0-$((swarm_size - 1))]\\""
  echo "cores = \\"$(swarm_first_ids "$cores")\\""
  [ "$swarm_gpus" = 0 ] || echo "gpus = \\"$(swarm_first_ids "$swarm_gpus")\\""
}

swarm_first_ids() {
  if [ "$1" = 1 ]; then echo 0; else echo "0-$(($1 - 1))"; fi
}

`;
