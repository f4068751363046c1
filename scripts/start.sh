# Sourced by ../parley and by the launcher of the installed package: starts the program with $node. Needs $node and
# $dist, the folder of the built programs.

# One arena of the C library's allocator, which gives free memory back: with one for each thread, a window and its server
# keep 8 MB more after a long answer. The program keeps these variables from all others that it starts.
if [ -z "${GLIBC_TUNABLES+set}" ]; then
  PARLEY_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.trim_threshold=131072
  GLIBC_TUNABLES=$PARLEY_TUNABLES
  export PARLEY_TUNABLES GLIBC_TUNABLES
fi
# The young generation of a window stays small: it would grow to 16 MB, for 2 % of the CPU of a flood, which scripts keep.
# Whoever sends SIGUSR1 opens no debugger, by which every user of the machine could run code as this one.
case ${1-} in
  exec) exec "$node" --disable-sigusr1 "$dist/parley.mjs" "$@" ;;
  *) exec "$node" --disable-sigusr1 --max-semi-space-size=1 "$dist/parley.mjs" "$@" ;;
esac
