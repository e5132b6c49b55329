#!/usr/bin/env bash
# An environment from the lock file with each Python that is found (3.11 to 3.14, or those named as arguments), in a fresh clone:
# a small study in it must give the published numbers. Example: tests/environments.sh 3.12 3.13
set -uo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/permconf-environments.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0 tried=0

interpreter() {  # path of a Python of this version: on the PATH, or installed by pyenv
    for python in "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python3; do
        "$python" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null && echo "$python" && return
    done
}

study() {  # set up and run in a fresh clone, with this Python first on the PATH
    git clone --quiet "$home" "$folder/$1" && cd "$folder/$1" && mkdir bin && ln -s "$2" bin/python3 || return
    PATH=$PWD/bin:$PATH make smoke && .venv/bin/python --version && .venv/bin/permconf verify --directory results/smoke
}

for version in "${@:-3.11 3.12 3.13 3.14}"; do
    for one in $version; do
        python=$(interpreter "$one")
        [ -n "$python" ] || { echo "Python $one: not found here"; continue; }
        tried=$((tried + 1))
        if (study "$one" "$python") >"$folder/$one.log" 2>&1; then
            echo "Python $one: $(tail -n 2 "$folder/$one.log" | head -n 1)"
        else
            failed=1
            echo "Python $one: failed"
            tail -n 30 "$folder/$one.log"
        fi
    done
done
[ "$tried" -gt 0 ] && exit "$failed"
