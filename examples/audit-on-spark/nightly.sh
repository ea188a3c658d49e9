#!/bin/sh
# The audit of every night, for cron: 30 2 * * * nightly.sh /srv/mirrors /srv/shoal
# MIRRORS holds bare clones (git clone --mirror), TABLES the runs. Nothing is checked again that has not changed.
set -eu
mirrors=$1
tables=$2
list=$(mktemp)
trap 'rm -f "$list"' EXIT
for repository in "$mirrors"/*.git; do
    git -C "$repository" remote update --prune >/dev/null 2>&1 || echo "not updated: $repository" >&2
    echo "$repository" >>"$list"
done
mkdir -p "$tables"
[ ! -f "$tables/last.json" ] || mv "$tables/last.json" "$tables/before.json"
shoal audit --engine spark --repositories "$list" --tables "$tables" --format json --output "$tables/last.json" --exit-zero
# exit code 1: something is new, and it is on standard output for whoever reads cron's mail
[ ! -f "$tables/before.json" ] || shoal audit diff "$tables/before.json" "$tables/last.json" --format markdown
