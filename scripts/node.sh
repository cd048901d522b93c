#!/bin/sh
# Runs a script with the Node.js that npm installed with the project, or with the machine's own if there is none.
# It does not use the link in node_modules/.bin, because npm 10 removes it: the package for the other architecture has
# one of the same name.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
if [ ! -d "$root/node_modules" ]; then
  echo "The packages are not installed. Run npm ci." >&2
  exit 1
fi
# Caches compiled code, because the framework is large.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/.cache/node}"
for processor in x64 arm64; do
  folder="$root/node_modules/node-linux-$processor/bin"
  if [ -x "$folder/node" ]; then
    # Child processes use the same Node.js.
    PATH="$folder:$PATH"
    export PATH
    exec "$folder/node" "$@"
  fi
done
if ! node -e 'process.exit(Number.parseInt(process.versions.node, 10) >= 24 ? 0 : 1)'; then
  echo "Node.js 24 is needed, but this is $(node --version). Run npm ci on Linux, which installs it, or install it yourself." >&2
  exit 1
fi
exec node "$@"
