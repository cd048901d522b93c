#!/bin/sh
# Becomes the given command, and ends it when standard input closes, because the parent has ended.
exec 3<&0

# Checks the parent each time, because the process id may have been reused.
# macOS has no /proc, and slim Linux images have no ps.
still_ours() {
  if [ -r /proc/self/stat ]; then
    read -r _ _ _ parent _ </proc/self/stat
  else
    parent=$(ps -o ppid= -p "$self")
  fi && [ "$parent" -eq "$$" ]
}

{
  # POSIX shells have no variable for the id of this subshell. It is the parent of the shell in the substitution.
  [ -r /proc/self/stat ] || self=$(exec sh -c 'echo "$PPID"')
  read -r _ <&3
  still_ours && kill "$$"
  tries=30
  while [ "$tries" -gt 0 ] && still_ours; do
    sleep 0.1
    tries=$((tries - 1))
  done
  still_ours && kill -9 "$$"
} >/dev/null 2>&1 &

exec "$@" </dev/null 3<&-
