#!/bin/sh
# Runs all checks side by side, because some of them use one core only. Prints what each says; fails if one has failed.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
run() { # its name, and the command
  name=$1
  shift
  { "$@" >"$folder/$name" 2>&1 || : >"$folder/$name-failed"; } &
}
run types sh -c "tsc -p . && tsc -p web && tsc -p web/src/worker"
run lint biome check
run unused knip
run imports depcruise --output-type err lib functions scripts bench web/src
wait
code=0
for name in lint types unused imports; do
  cat "$folder/$name"
  if [ -e "$folder/$name-failed" ]; then code=1; fi
done
exit $code
