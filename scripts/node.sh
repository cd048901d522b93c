#!/bin/sh
# Runs a script under the Node.js that npm has installed with the project, and under the machine's own where there is none.
# By its place, not by its link in node_modules/.bin: npm 10 removes that again, because a second optional package,
# for the other processor, has one of the same name.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
if [ ! -d "$root/node_modules" ]; then
  echo "The packages are not installed: run npm ci." >&2
  exit 1
fi
# What has been compiled once is kept: the framework is large, and is loaded anew with every start.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/.cache/node}"
for processor in x64 arm64; do
  folder="$root/node_modules/node-linux-$processor/bin"
  if [ -x "$folder/node" ]; then
    # Whatever is started by name is to run under the same.
    PATH="$folder:$PATH"
    export PATH
    exec "$folder/node" "$@"
  fi
done
if ! node -e 'process.exit(Number.parseInt(process.versions.node, 10) >= 24 ? 0 : 1)'; then
  echo "Node.js 24 is needed, and this is $(node --version): run npm ci on Linux, which brings it, or install it." >&2
  exit 1
fi
exec node "$@"
