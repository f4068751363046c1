import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { markVariable } from '../system/marks.ts'
import { helperPath } from '../system/programs.ts'

/**
 * Process that kills what this process leaves when it dies, `kill -9` included. It reads which children run and, at the
 * end of its input, kills their groups and all that carries their marks. One for all children, not a shell around each:
 * a child then starts directly, with the system's own errors, no unknown child, and 3 ms sooner.
 */
export interface CrashGuard {
  /** Starts the guard; optional, because the first `watch` does it too. */
  start(): void
  /** Adds a mark, before the spawn, so that the child is covered from its first moment. */
  watch(mark: string): void
  adopt(mark: string, groupId: number): void
  release(mark: string): void
  /** Returns the guard's process id; null before the first start. */
  pid(): number | null
  close(): Promise<void>
}

const script = `
trap '' HUP INT TERM
groups= marks=
while read -r kind list; do
  case $kind in
    groups) groups=$list ;;
    marks) marks=$list ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ -n "$marks" ] && [ -r /proc/self/environ ] || exit 0
for mark in $marks; do set -- "$@" -e "${markVariable}=$mark"; done
round=0
while [ $round -lt 10 ]; do
  files=$(grep -lsF "$@" /proc/[0-9]*/environ)
  [ -n "$files" ] || exit 0
  for file in $files; do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}"; done
  round=$((round + 1))
done
`

/** Lifetime below which a dead guard is not replaced before the next child: the next one would die as well. */
const minLifeMs = 1000

interface GuardProcess {
  readonly pid: number | null
  send(lines: string): void
  /** Ends its input and waits for its exit. */
  end(): Promise<void>
}

export function createCrashGuard(): CrashGuard {
  const watched = new Map<string, number | null>()
  let guard: GuardProcess | null = null
  const spawnWatched = (): GuardProcess => {
    const startedMs = performance.now()
    const started = spawnGuard(() => {
      if (guard !== started) return
      guard = null
      if (watched.size > 0 && performance.now() - startedMs > minLifeMs) sendAll()
    })
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
    pid: () => guard?.pid ?? null,
    async close() {
      const closing = guard
      guard = null
      await closing?.end()
    },
  }
}

/** Spawns the guard in a session and env of its own, so that no signal or sweep meant for this process reaches it. */
function spawnGuard(onExit: () => void): GuardProcess {
  const child = spawn('/bin/sh', ['-c', script, 'parley-guard'], {
    cwd: '/',
    env: { PATH: helperPath },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without free descriptors Node makes no pipe, whatever its types say.
  const input: Writable | undefined = child.stdin
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
      input?.end()
      return exited
    },
  }
}
