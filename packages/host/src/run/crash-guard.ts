import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { markVariable } from '../system/marks.ts'
import { helperPath } from '../system/programs.ts'

/**
 * A small process that outlives us: it is told which commands run and, when its input ends because we are gone (`kill -9` included), kills
 * their process groups and all that carries their marks. One for all commands, and not a shell around each: a command is then started
 * directly, with the system's own errors, no child it does not know of, and 3 ms sooner.
 */
export interface Guard {
  /** Optional: the first `watch` does it too. */
  start(): void
  /** Before the spawn, so that there is no moment in which a process is not covered. */
  watch(mark: string): void
  adopt(mark: string, groupId: number): void
  release(mark: string): void
  /** Null before the first start. */
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

/** One that dies sooner is not started again before the next command: it would only die again. */
const minLifeMs = 1000

interface GuardProcess {
  readonly pid: number | null
  tell(lines: string): void
  /** Ends its input and waits until it has gone. */
  end(): Promise<void>
}

export function createGuard(): Guard {
  const watched = new Map<string, number | null>()
  let guard: GuardProcess | null = null
  const spawnWatched = (): GuardProcess => {
    const startedMs = performance.now()
    const started = spawnGuard(() => {
      if (guard !== started) return
      guard = null
      if (watched.size > 0 && performance.now() - startedMs > minLifeMs) tell()
    })
    return started
  }
  const tell = () => {
    guard ??= spawnWatched()
    const groups = [...watched.values()].filter((groupId) => groupId !== null)
    guard.tell(`groups ${groups.join(' ')}\nmarks ${[...watched.keys()].join(' ')}\n`)
  }
  return {
    start() {
      guard ??= spawnWatched()
    },
    watch(mark) {
      watched.set(mark, null)
      tell()
    },
    adopt(mark, groupId) {
      watched.set(mark, groupId)
      tell()
    },
    release(mark) {
      if (watched.delete(mark) && guard !== null) tell()
    },
    pid: () => guard?.pid ?? null,
    async close() {
      const closing = guard
      guard = null
      await closing?.end()
    },
  }
}

/** Its own session and an environment without our marks, so that nothing that ends us or sweeps us takes it along. */
function spawnGuard(onExit: () => void): GuardProcess {
  const child = spawn('/bin/sh', ['-c', script, 'parley-guard'], {
    cwd: '/',
    env: { PATH: helperPath },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without descriptors left Node makes no pipe at all, whatever its types say.
  const input: Writable | undefined = child.stdin
  input?.on('error', () => {}) // EPIPE when it was killed; 'exit' tells
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  void exited.then(onExit)
  child.unref()
  if (input instanceof Socket) input.unref()
  return {
    pid: child.pid ?? null,
    tell: (lines) => input?.write(lines),
    end() {
      child.ref()
      input?.end()
      return exited
    },
  }
}
