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
# Requests on this machine go through no proxy. Node.js uses that of the environment with NODE_USE_ENV_PROXY.
NO_PROXY="${no_proxy:-${NO_PROXY:-}},127.0.0.1,localhost"
no_proxy=$NO_PROXY
export NO_PROXY no_proxy
for processor in x64 arm64; do
  folder="$root/node_modules/node-linux-$processor/bin"
  # It needs glibc, so it is installed on Alpine Linux but does not start there.
  if [ -x "$folder/node" ] && "$folder/node" --version >/dev/null 2>&1; then
    # Child processes use the same Node.js.
    PATH="$folder:$PATH"
    export PATH
    exec "$folder/node" "$@"
  fi
done
# Node.js 24.7 is the first with argon2.
version=$(node --version 2>/dev/null)
numbers=${version#v}
major=${numbers%%.*}
numbers=${numbers#*.}
minor=${numbers%%.*}
if [ "${major:-0}" -lt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -lt 7 ]; }; then
  cat >&2 <<END
Node.js 24.7 or later is needed, but this is ${version:-no Node.js}. Install it, then run npm ci again:
  with nvm:       nvm install 24
  with fnm:       fnm install 24 && fnm use 24
  with Homebrew:  brew install node
  on Alpine 3.23: apk add nodejs npm
On other Linux on x64 and arm64, npm ci installs it, unless optional packages are omitted.
END
  exit 1
fi
exec node "$@"
