import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { NotPrivateError, openHost, openSandboxes, readPrivateFile } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { createStreamTransport, ListenError, type PeerFault, type Transport, type UnreadableReason } from '@parley/rpc'
import {
  type Address,
  endOnDefect,
  homeFolder,
  keepStdoutForProtocol,
  listenOn,
  ownRunFolders,
  stateFolder,
  sweepLater,
  UsageError,
  userPlaces,
} from '@parley/serving'
import { currentSecrets, diskFiles, ownFiles, realPathOf, secretPaths, systemErrorReason } from '@parley/workspace'
import { openEpochs } from '../epochs.ts'
import { servedUsers } from '../handshake.ts'
import { createPolicyEnforcer, type PolicyEnforcer } from '../sandbox/enforce-policy.ts'
import { type MachineCeiling, noCeiling } from '../sandbox/machine-ceiling.ts'
import { describeEnvironment, type ExecParts, serveExec } from '../serve-exec.ts'
import { createSessions } from '../sessions.ts'
import type { ExecArguments, OutgoingLink } from './exec-arguments.ts'
import { stayConnected } from './stay-connected.ts'

const exitCodes = { ended: 0, failed: 1 } as const
/** Time limit for `initialize` of a connected client; a client on stdio has no limit. */
const initializeTimeoutMs = 10_000

interface Built {
  readonly version: string
  /** Build id, which names the cached facts of this machine's sandbox. */
  readonly build: string
}

/** Runs an exec-server until its client closes stdin or a signal ends it. Resolves with the exit code. */
export async function runExecServer(options: ExecArguments, { version, build }: Built): Promise<number> {
  keepStdoutForProtocol()
  const notes = stateFolder(homeFolder(process.env))
  const host = openHost({ notes })
  const sessions = createSessions({ host, lingerMs: options.lingerMs })
  const end = async () => {
    await sessions.close()
    await host.close()
  }
  endOnDefect(writeStderr, end)
  const ended = endOnSignals()
  void host.warmUp().catch(writeStderr)
  const sweepNow = sweepLater(writeStderr, { host, notes, socket: () => null })
  const { listen, connect } = options
  const hidden = listen === null && connect === null ? [] : [options.tokenFile]
  const enforcer = localEnforcer(build, hidden, await ceilingOf(options))
  const parts: ExecParts = {
    sessions,
    epochs: openEpochs(nodeFiles, join(homeFolder(process.env), 'epochs')),
    enforcer,
    environmentInfo: async () => describeEnvironment(version, await enforcer.report(), enforcer.letsPortsOut),
    ...(connect === null ? {} : { assertServed: servedUsers(connect.users) }),
    initializeTimeoutMs: listen === null ? null : initializeTimeoutMs,
    report,
  }
  try {
    if (connect !== null) return await connectOut(connect, { parts, tokenFile: options.tokenFile, ended })
    if (listen === null) return await Promise.race([serveStdio(parts), ended.then(() => exitCodes.ended)])
    await serveAll(listen, { parts, tokenFile: options.tokenFile, ended })
    return exitCodes.ended
  } catch (error) {
    if (!(error instanceof ListenError || error instanceof UsageError)) throw error
    writeStderr(error.message)
    return exitCodes.failed
  } finally {
    await end()
    await sweepNow()
  }
}

/** Resolves to the most that clients may do: without `--root` they write only below the folder that it was started in. */
async function ceilingOf(given: ExecArguments): Promise<MachineCeiling> {
  const { maxSandbox, roots, ports, unixSockets } = given
  if (maxSandbox === null) return { ...noCeiling, ports, unixSockets }
  const real = await Promise.all(roots.map((root) => realPathOf(root)))
  const writable = real.length === 0 ? [await realPathOf(process.cwd())] : real
  return { maxSandbox, writable, readable: real.length === 0 ? null : real, ports, unixSockets }
}

/** Returns the sandbox of this machine. Its first use waits for a test; the result is kept in `$PARLEY_HOME`. */
function localEnforcer(build: string, tokenFiles: readonly string[], ceiling: MachineCeiling): PolicyEnforcer {
  const home = homedir()
  const parleyHome = homeFolder(process.env)
  const own = () => ownFiles(parleyHome)
  const places = userPlaces(home, process.env)
  const runFolders = ownRunFolders(process.env)
  return createPolicyEnforcer({
    sandboxes: openSandboxes({
      cacheFile: join(stateFolder(parleyHome), 'sandbox.json'),
      build,
      own,
      onExchanged: (sentences) => writeStderr(sentences.join('\n')),
    }),
    secrets: currentSecrets({
      homes: [places.home, ...places.otherHomes],
      added: () => tokenFiles,
      find: (added) => secretPaths({ ...places, parleyHome, own: own(), runFolders, added }, diskFiles),
      files: diskFiles,
    }),
    home,
    env: process.env,
    own,
    platform: process.platform,
    ceiling,
  })
}

async function serveStdio(parts: ExecParts): Promise<number> {
  const transport = createStreamTransport({ input: process.stdin, output: process.stdout })
  const { code, detail } = await serveExec(transport, parts)
  if (code !== 'closed' || detail === undefined) return exitCodes.ended
  writeStderr(`The connection was closed, because the client broke the protocol: ${detail}.`)
  return exitCodes.failed
}

interface Serving {
  readonly parts: ExecParts
  readonly tokenFile: string
  readonly ended: Promise<unknown>
}

/** Serves all clients until a signal ends the process. */
async function serveAll(listen: Address, { parts, tokenFile, ended }: Serving): Promise<void> {
  const connections = { accept: (transport: Transport) => void serveExec(transport, parts).catch(writeStderr) }
  const {
    listener,
    address,
    tokenFile: used,
  } = await listenOn(listen, { tokenFile }, { connections, home: '', writeLog: writeStderr })
  process.stderr.write(`parley exec-server listens on ${address}${used === null ? '' : ` (token in ${used})`}\n`)
  await ended
  await listener.close()
}

/** Serves the servers that it connects to, until a signal ends the process. */
async function connectOut(link: OutgoingLink, { parts, tokenFile, ended }: Serving): Promise<number> {
  assertReadable(tokenFile)
  const end = new AbortController()
  const stayed = stayConnected({
    ...{ ...link, tokenFile, run: randomUUID(), signal: end.signal },
    serve: (transport, onClient) => serveExec(transport, parts, onClient),
    say: (sentence) => void process.stderr.write(`parley exec-server is ${sentence}\n`),
  })
  await ended
  end.abort()
  await stayed
  return exitCodes.ended
}

/** Throws `UsageError` for a file of a token that cannot be used. It is read again with each connection. */
function assertReadable(tokenFile: string): void {
  try {
    readPrivateFile(tokenFile)
  } catch (error) {
    if (error instanceof NotPrivateError) throw new UsageError(`The token file ${tokenFile} ${error.message}`)
    throw new UsageError(`The token file ${tokenFile} cannot be read: ${systemErrorReason(error)}.`)
  }
}

function endOnSignals(): Promise<unknown> {
  return Promise.race((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => once(process, signal)))
}

function report(fault: PeerFault): void {
  writeStderr(describeFault(fault))
}

function writeStderr(what: unknown): void {
  process.stderr.write(`parley exec-server: ${what instanceof Error ? (what.stack ?? what.message) : String(what)}\n`)
}

const unreadable: Readonly<Record<UnreadableReason, string>> = {
  tooLong: 'a line is longer than 32 MiB',
  notUtf8: 'a line is not UTF-8',
  notJson: 'a line is not JSON',
  tooDeep: 'a line is nested too deep',
  tooManyValues: 'a line holds more than 100,000 values',
  repeatedId: 'a message has two ids',
  binary: 'a frame is binary, not text',
}

/** Returns the line for stderr. Of faults that a client can cause at will only the first is reported. */
function describeFault(fault: PeerFault): string {
  switch (fault.code) {
    case 'handlerFailed':
      return `${fault.method}: ${String(fault.cause)}`
    case 'unreadable':
      return `A client sent what cannot be read: ${unreadable[fault.reason]}. It was answered with an error.`
    case 'unknownReply':
      return 'A client answered what it was not asked.'
    case 'notUnderstood':
      return `A client could not read what it was sent: ${fault.error.message}.`
  }
}
