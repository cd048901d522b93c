#!/bin/sh
# Becomes the given command, and ends it as soon as standard input closes: when whoever started it is gone.
exec 3<&0

# The parent is looked up each time, so that a process that has got the number since is left alone.
still_ours() {
  read -r _ _ _ parent _ </proc/self/stat && [ "$parent" = "$$" ]
}

{
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
