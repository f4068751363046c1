# Sourced by ../parley when its build is missing or out of date: installs and builds under a lock, so that two first
# starts do not race, and returns when a build is in place. Uses $root, $built and is_fresh. Writes to stderr only and
# does not read stdin.

. "$root/scripts/usable-node.sh"
root=$(cd "$root" && pwd -P) || exit
built=$root/.parley-build
lock=$built/lock

fail() {
  echo "parley: $*" >&2
  exit 1
}

say() {
  if [ -t 2 ]; then echo "parley: $*" >&2; fi
}

can_run() { [ -x "$built/node" ] && [ -f "$root/apps/tui/dist/parley.mjs" ]; }

# Runs a step with its output kept aside, and shows that output only if the step fails.
quietly() {
  step=$1
  shift
  if ! (cd "$root" && "$@") </dev/null >"$built/log" 2>&1; then
    cat "$built/log" >&2
    fail "$step failed (its output is above)"
  fi
}

# True in a checkout where nobody has installed the tools of a developer: none is installed, or a user's install was
# interrupted.
is_users() { [ -e "$built/installing" ] || ! [ -d "$root/node_modules" ]; }

# pnpm keeps the lockfile of its last full install; installed.yaml is that of the last install without test programs.
is_installed() {
  [ -e "$root/node_modules/.bin/esbuild" ] || return 1
  cmp -s "$root/pnpm-lock.yaml" "$root/node_modules/.pnpm/lock.yaml" || cmp -s "$root/pnpm-lock.yaml" "$built/installed.yaml"
}

install() {
  command -v npm >/dev/null 2>&1 || fail "the first start needs npm (Node 18 or later) to fetch the dependencies"
  say "installing dependencies…"
  # Leaves out what only tests run, and for users what only developers need; `npm test` fetches both.
  if is_users; then
    : >"$built/installing"
    install_only --prod --filter '!@parley/testkit'
  else
    install_only
    cp "$root/pnpm-lock.yaml" "$built/installed.yaml"
  fi
}

# The age of packages is for those who change the lockfile: to ask for it here would fetch the history of each.
install_only() {
  quietly "installing" env CI=true npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false \
    pnpm_config_minimum_release_age=0 scripts/pnpm.sh install --frozen-lockfile --prefer-offline --filter '!@parley/foreign' "$@"
}

# Removes what only the build needs, a third of the checkout: the programs have all of it in them. The next build takes it
# from pnpm's store. Node stays, as a second name of the same file.
keep_node_only() {
  node=$("$built/node" -p process.execPath) || fail "the Node of this build does not start"
  case $node in
    "$root"/*)
      rm -f "$built/node.kept"
      ln "$node" "$built/node.kept" 2>/dev/null || cp "$node" "$built/node.kept" || fail "cannot copy $node"
      mv -f "$built/node.kept" "$built/node"
      ;;
  esac
  rm -rf "$root/node_modules" "$root"/packages/*/node_modules "$root"/apps/*/node_modules "$built/pnpm" "$built/installing"
}

# The repository's Node, or the machine's own on a platform for which the repository has none.
find_node() {
  for node in "$root/node_modules/.bin/node" "$built/node" "$(command -v node)"; do
    if is_usable_node "$node"; then return; fi
  done
  fail "no Node 22.19 or later for this platform, neither in the checkout nor on PATH"
}

build() {
  find_node
  say "building…"
  quietly "building" "$node" scripts/build.mjs --quiet
}

# Takes over a dead owner's lock. Removing it could remove the lock of another process that did so first.
adopt_stale_lock() {
  owner=$(lock_owner)
  is_dead "$owner" && mkdir "$lock/adopting" 2>/dev/null || return 1
  adopted=false
  if [ "$(lock_owner)" = "$owner" ]; then
    echo $$ >"$lock/pid"
    adopted=true
  fi
  rmdir "$lock/adopting"
  $adopted
}

lock_owner() { cat "$lock/pid" 2>/dev/null; }

# An owner writes its pid at once: a lock without one after five seconds belongs to a dead process.
is_dead() {
  if [ -z "$1" ]; then [ "$waited" -gt 25 ]; else ! kill -0 "$1" 2>/dev/null && ! [ -d "/proc/$1" ]; fi
}

take_lock() {
  waited=0
  until mkdir "$lock" 2>/dev/null && echo $$ >"$lock/pid"; do
    adopt_stale_lock && return
    # Fractions of a second are not portable sh, but every sleep in use takes them.
    sleep 0.2 2>/dev/null || sleep 1
    waited=$((waited + 1))
    [ "$waited" -eq 25 ] && say "waiting for another parley that is building (pid $(lock_owner))…"
    [ "$waited" -lt 3000 ] || fail "waited ten minutes for $lock; remove it if no other parley is building"
  done
}

release_lock() {
  rm -rf "$lock"
  trap - EXIT HUP INT TERM
}

case $(uname -s) in
  MINGW* | MSYS* | CYGWIN*) fail "on Windows, run parley inside WSL (https://learn.microsoft.com/windows/wsl)" ;;
esac

if ! mkdir -p "$built" 2>/dev/null || ! [ -w "$built" ]; then
  # This folder cannot be written to. An existing build runs, even if a copy or a checkout has changed file times.
  can_run || fail "$root is not built and cannot be written to; run $root/parley once as a user who may"
  return
fi

take_lock
trap release_lock EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# The earlier owner of the lock may have finished the build.
if ! is_fresh; then
  is_installed || install
  build
  if is_users; then keep_node_only; fi
fi
release_lock
