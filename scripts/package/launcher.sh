#!/bin/sh
# Runs parley from its package with the machine's Node, or, where that is too old, with one that it fetches once.

# The package's folder, through the links that npm makes.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
package=$(cd "${self%/*}/.." && pwd -P) || exit
dist=$package/dist
. "$package/bin/usable-node.sh"

# Fetches the Node that this version of the package names, by its hash, under a name of its own, then puts it in place.
fetch_node() {
  command -v npm >/dev/null 2>&1 || {
    echo "parley: this machine has no Node 22.19 or later, and no npm to fetch one with" >&2
    exit 1
  }
  [ -t 2 ] && echo "parley: fetching Node, once, into $kept…" >&2
  fresh=$kept.$$
  mkdir -p "$fresh" && cp "$package/node/package.json" "$package/node/package-lock.json" "$fresh/" || exit
  log=$(cd "$fresh" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier 2>&1 </dev/null) || {
    rm -rf "$fresh"
    printf '%s\nparley: Node could not be fetched (npm says why above); any Node from 22.19 on in PATH does as well\n' "$log" >&2
    exit 1
  }
  # Headers and manuals are a third of it.
  rm -rf "$fresh/node_modules/${name%@*}/include" "$fresh/node_modules/${name%@*}/share"
  # Another first start may have been faster.
  mv "$fresh" "$kept" 2>/dev/null && [ ! -d "$kept/${fresh##*/}" ] || rm -rf "$fresh" "$kept/${fresh##*/}"
}

node=$(command -v node)
if ! is_usable_node "$node"; then
  read -r name <"$package/node/name"
  kept=${XDG_CACHE_HOME:-$HOME/.cache}/parley/$name
  node=$kept/node_modules/${name%@*}/bin/node
  [ -x "$node" ] || fetch_node
fi
. "$package/bin/start.sh"
