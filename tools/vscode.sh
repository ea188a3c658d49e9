#!/bin/sh
# Gets what the VS Code extension is built and tested with: its packages, and a VS Code build (code-server from the npm registry) that a
# browser can drive. Prints the folder of that build. Nothing is compiled: the server of VS Code runs without its native modules.
set -eu
version=4.100.3 # VS Code 1.100, the newest for Node.js 20
cd "$(dirname "$0")/.."
if ! command -v npm >/dev/null 2>&1; then
    echo "npm is needed; tools/system.sh installs it" >&2
    exit 1
fi
quiet="--no-audit --no-fund --loglevel=error"
packages=editors/vscode/node_modules/.package-lock.json
if [ ! -f "$packages" ] || [ editors/vscode/package-lock.json -nt "$packages" ]; then
    # shellcheck disable=SC2086
    (cd editors/vscode && npm ci $quiet >&2)
fi
home="${XDG_CACHE_HOME:-$HOME/.cache}/shoal-development/code-server-$version"
if [ ! -f "$home/complete" ]; then
    rm -rf "$home"
    mkdir -p "$home"
    # shellcheck disable=SC2086
    npm install $quiet --ignore-scripts --prefix "$home" "code-server@$version" >&2
    # shellcheck disable=SC2086
    (cd "$home/node_modules/code-server/lib/vscode" && npm install $quiet --ignore-scripts --omit=dev >&2)
    touch "$home/complete"
fi
echo "$home/node_modules/code-server/lib/vscode"
