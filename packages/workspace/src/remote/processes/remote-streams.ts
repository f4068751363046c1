import { PassThrough, Writable } from 'node:stream'
import { createStopLadder, type ProcessExit, type StreamedProcess, type StreamedProcessSpec } from '@parley/host'
import type { ExecLink } from '../link.ts'
import type { RemoteEnd } from './remote-end.ts'
import { RemoteProcess } from './remote-process.ts'

/** Bytes that wait here for a reader, above which the process is ended: its link is not held up for one reader. */
const usualUnreadBytes = 64 * 1024 * 1024

/**
 * Runs a process on the remote machine with streams for stdin, stdout and stderr, like `Host.spawnStreams`. It has no
 * name in the log, so the next server of its conversation ends it.
 */
export function startRemoteStreams(
  link: ExecLink,
  { argv, cwd, env, sandbox }: StreamedProcessSpec,
  maxUnreadBytes = usualUnreadBytes,
): StreamedProcess {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const process = new RemoteProcess(link, {
    argv,
    cwd,
    env,
    limits: sandbox?.limits ?? null,
    isRunning: false,
    input: 'pipe',
    onOutput(chunk, stream) {
      const to = stream === 'stderr' ? stderr : stdout
      to.write(chunk)
      if (to.readableLength + to.writableLength > maxUnreadBytes) process.kill()
    },
  })
  const ladder = createStopLadder((rung) => {
    if (rung === 'SIGTERM') process.signal('terminate')
    else if (rung === 'SIGKILL') process.kill()
    else if (rung === 'abandon') process.abandon('it was told to stop, and nothing was heard of it since')
  })
  let term: NodeJS.Timeout | undefined
  const ended = process.ended.then((end) => {
    clearTimeout(term)
    ladder.close()
    for (const stream of [stdout, stderr]) stream.end()
    return exitOf(end)
  })
  const stdin = stdinOf(process)
  return {
    pid: null,
    stdin,
    stdout,
    stderr,
    ended,
    stop(graceMs) {
      stdin.end()
      clearTimeout(term)
      term = setTimeout(() => ladder.climb('shutdown'), graceMs)
      return ended
    },
  }
}

/** Returns a stream into the process. Bytes that it can no longer take are dropped: `ended` tells why. */
function stdinOf(process: RemoteProcess): Writable {
  const input = process.input()
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      void process.started.then(() => input.write(chunk)).then(() => done())
    },
    final(done) {
      void process.started.then(() => input.end()).then(() => done())
    },
  })
  void process.ended.then(() => stdin.destroy())
  return stdin
}

function exitOf(end: RemoteEnd): ProcessExit {
  if (end.kind === 'ended') return { exitCode: end.exitCode, signal: null }
  const message = end.kind === 'left' ? 'it was left running' : end.why
  return { exitCode: null, signal: null, spawnError: { code: 'ENOLINK', message, subject: 'system' } }
}
