import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import type { Writable } from 'node:stream'
import { orNull } from '@parley/text'
import { holderKind, noteKind } from '../paths/reserved-names.ts'
import { markVariable } from '../system/marks.ts'
import { ownNamePart } from '../system/own-leftovers.ts'
import { helperPath } from '../system/programs.ts'

/**
 * Process that kills the children of this one and removes its files when it dies, `kill -9` included. It serves all
 * children: each starts directly, with the system's own errors, and 3 ms sooner.
 */
export interface CrashGuard {
  /** Starts the guard; optional, because the first `watch` does it too. */
  start(): void
  /** Adds a mark, before the spawn, so that the child is covered from its first moment. */
  watch(mark: string): void
  adopt(mark: string, groupId: number): void
  release(mark: string): void
  /** Has a file or folder removed if this process is killed, until the function that is returned is called. */
  removeWhenKilled(path: string): () => void
  /** Returns the guard's process id; null before the first start. */
  pid(): number | null
  close(): Promise<void>
}

/** Time that a sandbox takes to end after its first process was killed. */
const settleSeconds = 0.2

// At the end of its input without a farewell it kills the groups and all that carries the marks, then removes the files.
// `$1`: part of the names of all that is this process's. `$2`: folder of temporary files. `$3`: folder of notes, or empty.
const script = `
trap '' HUP INT TERM
part=$1 temporary=$2 notes=$3
groups= marks= paths=
while IFS= read -r line; do
  case $line in
    'groups '*) groups=\${line#groups } ;;
    'marks '*) marks=\${line#marks } ;;
    paths) paths= ;;
    'path '*) paths=$paths\${line#path }'
' ;;
    farewell) exit 0 ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
set --
for mark in $marks; do set -- "$@" -e "${markVariable}=$mark"; done
round=0
while [ -n "$marks" ] && [ $round -lt 10 ] && [ -r /proc/self/environ ]; do
  files=$(grep -lsF "$@" /proc/[0-9]*/environ)
  [ -n "$files" ] || break
  for file in $files; do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}"; done
  round=$((round + 1))
done
printf %s "$paths" | while IFS= read -r path; do rm -rf -- "$path"; done
[ -n "$part" ] || exit 0
rm -rf -- "$temporary"/parley-[a-z]*-"$part"-* \${notes:+"$notes"/parley-[a-z]*-"$part"-*}
[ -n "$notes" ] || exit 0
# Mounts of a command that is just ending would be undone, and a name be free for it.
[ -z "$groups" ] || sleep ${settleSeconds}
for note in "$notes"/${noteKind}-"$part"-*; do
  [ -f "$note" ] || continue
  kept=
  while IFS= read -r line; do
    path=\${line#?}
    path=\${path%?}
    # A path that is quoted is left to the next start.
    case $path in *\\\\*) kept=yes; continue ;; esac
    rmdir "$path"/${holderKind}-"$part"-* && rmdir "$path"
  done <"$note"
  [ -n "$kept" ] || rm -f -- "$note"
done
`

/** Lifetime below which a dead guard is not replaced before the next child: the next one would die as well. */
const minLifeMs = 1000

interface GuardProcess {
  readonly pid: number | null
  send(lines: string): void
  /** Has it end without removing anything, and waits for its exit. */
  end(): Promise<void>
}

/** Creates a guard. `notes`: folder of the notes about reserved names; null for a process without notes. */
export function createCrashGuard(notes: string | null): CrashGuard {
  const watched = new Map<string, number | null>()
  const paths = new Set<string>()
  let guard: GuardProcess | null = null
  const pathLines = () => `paths\n${[...paths].map((path) => `path ${path}\n`).join('')}`
  const spawnWatched = (): GuardProcess => {
    const startedMs = performance.now()
    const started = spawnGuard(notes, () => {
      if (guard !== started) return
      guard = null
      if (watched.size + paths.size > 0 && performance.now() - startedMs > minLifeMs) sendAll()
    })
    started.send(pathLines())
    return started
  }
  const sendAll = () => {
    guard ??= spawnWatched()
    const groups = [...watched.values()].filter((groupId) => groupId !== null)
    guard.send(`groups ${groups.join(' ')}\nmarks ${[...watched.keys()].join(' ')}\n`)
  }
  return {
    start() {
      guard ??= spawnWatched()
    },
    watch(mark) {
      watched.set(mark, null)
      sendAll()
    },
    adopt(mark, groupId) {
      watched.set(mark, groupId)
      sendAll()
    },
    release(mark) {
      if (watched.delete(mark) && guard !== null) sendAll()
    },
    removeWhenKilled(path) {
      // The guard reads lines.
      if (!path.startsWith('/') || path.includes('\n')) return () => undefined
      paths.add(path)
      guard?.send(pathLines())
      return () => {
        if (paths.delete(path)) guard?.send(pathLines())
      }
    },
    pid: () => guard?.pid ?? null,
    async close() {
      const closing = guard
      guard = null
      await closing?.end()
    },
  }
}

/** Spawns the guard. On failure, returns an ended guard, and reports that as its exit. */
function spawnGuard(notes: string | null, onExit: () => void): GuardProcess {
  const child = spawnShell([ownNamePart() ?? '', tmpdir(), notes ?? ''])
  if (child === null) {
    queueMicrotask(onExit)
    return { pid: null, send: () => undefined, end: () => Promise.resolve() }
  }
  // Without free descriptors Node makes no pipe, whatever its types say.
  const input: Writable | null | undefined = child.stdin
  input?.on('error', () => {}) // EPIPE when it was killed, which 'exit' reports
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  void exited.then(onExit)
  child.unref()
  if (input instanceof Socket) input.unref()
  return {
    pid: child.pid ?? null,
    send: (lines) => input?.write(lines),
    end() {
      child.ref()
      input?.end('farewell\n')
      return exited
    },
  }
}

/** Starts the script in a session and env of its own, so that no signal or sweep meant for this process reaches it. */
function spawnShell(places: readonly string[]): ChildProcess | null {
  // Without memory for a process Node throws, where other failures are events.
  return orNull(() =>
    spawn('/bin/sh', ['-c', script, 'parley-guard', ...places], {
      cwd: '/',
      env: { PATH: helperPath },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    }),
  )
}
