#!/bin/sh
# Installs what the test suite needs from outside Python and the machine lacks: git, a JDK, Maven, Neovim,
# Emacs, Node.js, Go (by which the schemas of Kubernetes operators come) and Chromium with its driver.
set -eu
missing=""
command -v git >/dev/null 2>&1 || missing="$missing git"
command -v javac >/dev/null 2>&1 || missing="$missing default-jdk-headless"
command -v mvn >/dev/null 2>&1 || missing="$missing maven"
command -v nvim >/dev/null 2>&1 || missing="$missing neovim"
command -v emacs >/dev/null 2>&1 || missing="$missing emacs-nox elpa-yaml-mode" eglot=elpa-eglot
command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
command -v go >/dev/null 2>&1 || missing="$missing golang-go"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v chromedriver >/dev/null 2>&1 || missing="$missing chromium-driver"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -q
    # Emacs has Eglot since version 29; a Debian with an older one has it as a package.
    if [ -n "${eglot-}" ] && apt-cache show "$eglot" >/dev/null 2>&1; then missing="$missing $eglot"; fi
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
elif [ -n "${CI:-}" ]; then
    echo "these are needed and cannot be installed here:$missing" >&2
    exit 1
else
    echo "not installed, so the tests that need them are skipped:$missing" >&2
fi
