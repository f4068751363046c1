#!/bin/sh
# Runs the pnpm that scripts/pnpm/package-lock.json pins by hash. Fetches it once into .parley-build; npm refuses what has
# another hash.
case $0 in
  */*) root=${0%/*}/.. ;;
  *) root=.. ;;
esac
root=$(cd "$root" && pwd -P) || exit
wanted=$root/scripts/pnpm
place=$root/.parley-build/pnpm

if ! cmp -s "$wanted/package-lock.json" "$place/package-lock.json"; then
  mkdir -p "$root/.parley-build" && fetched=$(mktemp -d "$root/.parley-build/pnpm.XXXXXX") || exit
  trap 'rm -rf "$fetched"' EXIT
  cp "$wanted/package.json" "$wanted/package-lock.json" "$fetched" || exit
  # Not `npm ci`: the lock has the programs of Linux, and that of another system comes by its version alone.
  (cd "$fetched" && npm install --no-save --prefer-offline --no-audit --no-fund --loglevel=error </dev/null >&2) || exit
  rm -rf "$place" && mv "$fetched" "$place" || exit
  trap - EXIT
fi

# Programs that it runs, as turbo, look for pnpm themselves.
PATH=$place/node_modules/.bin:$PATH
export PATH
exec pnpm "$@"
