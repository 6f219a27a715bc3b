#!/bin/sh
# A complete worker of a SwarmPool in POSIX shell: runs a command for each stream, with SWARM_STREAM and SWARM_PARAM_KEY in its environment.
#
#   sh worker.sh COMMAND ARGUMENT...
#
# A shell cannot answer HTTP. This script writes its answers into two files, which a file server next to it serves: busybox or python3.
# It needs setsid, sha256sum and a sleep that accepts fractions, as in Debian and Alpine. It keeps all promises of docs/worker-contract.md
# except three: it has no fence, so it works only with handoff AtLeastOnce; it does not report the states of its streams; and it does not
# restart a stream for a new token.
set -u
config=${SWARM_CONFIG_FILE:-/app/config/config.yml}
port=${SWARM_PORT:-9090}
grace=10 # seconds from SIGTERM to SIGKILL
here=$(dirname "$0")
state=$(mktemp -d)
mkdir -p "$state/www/internal" "$state/wanted" "$state/running"
version=0 newest=0 confirmed=0 draining='' nap=''

# Runs in a session of its own, whose id is its process id; SIGTERM to the whole session ends it and the command.
supervisor='
pause=1
trap "exit 0" TERM
while :; do
  began=$(date +%s)
  "$@" & wait $!
  [ $(($(date +%s) - began)) -lt 30 ] || pause=1
  sleep "$pause" & wait $!
  [ "$pause" -ge 60 ] || pause=$((pause * 2))
done'

# A file for each wanted stream, named by a digest, because a name may look like a path. Its first line is the name.
take() {
  [ -e "$config" ] && ! cmp -s "$config" "$state/seen" || return 0
  cp "$config" "$state/seen" && awk -v worker="$POD_NAME" -f "$here/assignment.awk" "$state/seen" > "$state/read" || return 0
  IFS='	' read -r _ file entry < "$state/read"
  [ "$file" -ge "$newest" ] || return 0
  newest=$file version=$entry
  rm -f "$state/wanted/"*
  while IFS='	' read -r what name key value; do
    at=$state/wanted/$(printf %s "$name" | sha256sum | cut -c 1-64)
    case $what in
      job) printf '%s\n' "$name" > "$at" ;;
      parameter) [ ! -e "$at" ] || printf '%s\t%s\n' "$key" "$value" >> "$at" ;;
    esac
  done < "$state/read"
}

# begin FILE COMMAND...
begin() {
  at=$state/running/${1##*/}
  cp "$1" "$at"
  shift
  (
    {
      IFS= read -r SWARM_STREAM
      export SWARM_STREAM
      while IFS='	' read -r key value; do export "SWARM_PARAM_$key=$value"; done
    } < "$at"
    exec setsid sh -c "$supervisor" sh "$@" < /dev/null
  ) &
  echo $! > "$at.pid"
}

# Sends SIGTERM to a stream, and SIGKILL after the grace period. Succeeds when none of its processes is left.
end() {
  read -r pid < "$1.pid"
  if ! kill -0 "-$pid" 2> /dev/null && ! kill -0 "$pid" 2> /dev/null; then rm -f "$1" "$1.pid" "$1.since"; return 0; fi
  now=$(date +%s)
  if [ ! -e "$1.since" ]; then
    echo "$now" > "$1.since"
    # A process that has just started has no session yet.
    kill -TERM "-$pid" 2> /dev/null || kill -TERM "$pid" 2> /dev/null
  fi
  read -r since < "$1.since"
  [ $((now - since)) -lt "$grace" ] || kill -KILL "-$pid" 2> /dev/null
  return 1
}

# Takes the next step towards the assignment. Confirms a version only when exactly the assigned streams are running.
step() {
  done=1
  for at in "$state/running/"*; do
    case $at in *'*' | *.pid | *.since) continue ;; esac
    [ ! -e "$at.since" ] && cmp -s "$at" "$state/wanted/${at##*/}" || end "$at" || done=''
  done
  for at in "$state/wanted/"*; do
    [ -e "$at" ] || continue
    [ -e "$state/running/${at##*/}" ] || begin "$at" "$@"
  done
  [ -z "$done" ] || [ -n "$draining" ] || confirmed=$version
}

report() {
  jobs=''
  for at in "$state/running/"*; do
    case $at in *'*' | *.pid | *.since) continue ;; esac
    jobs=$jobs,\"$(head -n 1 "$at" | sed 's/[\\"]/\\&/g')\"
  done
  printf '{"version":%s,"jobs":[%s],"podUid":"%s"}\n' "$confirmed" "${jobs#,}" "${POD_UID:-}" > "$state/next"
  cmp -s "$state/next" "$state/www/internal/version" || mv "$state/next" "$state/www/internal/version"
}

report
echo '{}' > "$state/www/internal/health"
if busybox httpd --help 2> /dev/null; then
  case ${POD_IP:-} in *:*) address="[$POD_IP]" ;; *) address=${POD_IP:-0.0.0.0} ;; esac
  busybox httpd -f -p "$address:$port" -h "$state/www" &
else
  python3 -m http.server "$port" --bind "${POD_IP:-0.0.0.0}" --directory "$state/www" > /dev/null 2>&1 &
fi
server=$!
trap 'draining=1' TERM INT
trap 'kill "$server"; wait "$server" 2> /dev/null; rm -rf "$state"' EXIT

while [ -z "$draining" ]; do
  take
  step "$@"
  report
  sleep 0.2 & nap=$!
  wait "$nap"
done
rm -f "$state/www/internal/health" "$state/wanted/"*
while step "$@"; [ -z "$done" ]; do report; sleep 0.1; done
[ -z "$nap" ] || wait "$nap"
exit 0
