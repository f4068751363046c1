import { constants } from 'node:os'
import { getSystemErrorMessage } from 'node:util'
import { noHomeExitCode, noStoreExitCode } from '@parley/protocol'
import { answerLimits, createStreamTransport, type Transport } from '@parley/rpc'
import { ClientError } from '../connection/errors.ts'
import { type ServerProcess, type SpawnServerOptions, startServerProcess } from './server-process.ts'

export interface SpawnedServer extends Omit<ServerProcess, 'input' | 'output'> {
  readonly transport: Transport
}

/** Starts a server as `startServerProcess` does, and opens the transport to it. */
export function spawnServer(options: SpawnServerOptions): SpawnedServer {
  return serverOn(startServerProcess(options))
}

/** Opens the transport to a server process; once for each process. */
export function serverOn(server: ServerProcess): SpawnedServer {
  const { input, output, pid, program, exited, stderrTail, kill, release } = server
  const transport = createStreamTransport({ ...answerLimits, input: output, output: input })
  void exited.then(({ code, signal }) => {
    // A grandchild may hold the server's stdout open after its death, so the stream's end cannot be waited for.
    if (code !== null || signal !== null) void transport.close()
  })
  return { pid, program, exited, stderrTail, kill, release, transport }
}

/** Returns true for the exit code of a server that cannot store anything. Its last line on stderr gives the reason. */
export function hasNoStorage(code: number | null): boolean {
  return code === noStoreExitCode || code === noHomeExitCode
}

/** Resolves to the error about a server that ended unexpectedly, once its process is gone: `serverNotFound` for no program. */
export async function explainExit(server: SpawnedServer): Promise<ClientError> {
  const { errno } = await server.exited
  return new ClientError(errno === 'ENOENT' ? 'serverNotFound' : 'connectionClosed', await howItEnded(server))
}

async function howItEnded(server: SpawnedServer): Promise<string> {
  const { code, signal, errno } = await server.exited
  if (code === null && signal === null) return `The server ${server.program} could not be started${causeOf(errno)}.`
  const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`
  const words = server.stderrTail()
  if (hasNoStorage(code) && words !== null) return lastLineOf(words.text).replace(/^parley server: /, '')
  const said =
    words === null
      ? ''
      : ` It said: ${lastLineOf(words.text)}${words.path === null ? '' : ` (all of it is in ${words.path})`}`
  return `The server ${how}.${said}`
}

/** Returns the system's words for an error and its name, as the end of a sentence. */
function causeOf(errno: string | undefined): string {
  if (errno === undefined) return ''
  const number = new Map(Object.entries(constants.errno)).get(errno)
  return number === undefined ? ` (${errno})` : `: ${getSystemErrorMessage(-number)} (${errno})`
}

/** Returns the line with the error: Node prints its version below it; V8 and its own checks print a stack. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^(Node\.js v|\s+at |[\s^{}]+$)/.test(line))
  return lines.find((line) => /^(?:\w*Error\b|FATAL ERROR: |\s*#\s+Assertion failed)/.test(line)) ?? lines.at(-1) ?? ''
}
