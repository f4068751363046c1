import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { openHost, openSandboxes } from '@parley/host'
import { createStreamTransport, ListenError, type PeerFault, type Transport } from '@parley/rpc'
import { diskFiles, ownFiles, type SecretPaths, secretPaths } from '@parley/workspace'
import { homeFolder } from '../../home-folder.ts'
import type { Address } from '../../serving/address.ts'
import { listenOn } from '../../serving/listen.ts'
import { endOnDefect, keepStdoutForProtocol, sweepLater } from '../../serving/process-manners.ts'
import { ownRunFolders } from '../../serving/run-folder.ts'
import { UsageProblem } from '../../serving/usage-problem.ts'
import { type Confinement, createConfinement } from './confinement/confinement.ts'
import { describeEnvironment } from './describe-environment.ts'
import type { ExecOptions } from './exec-options.ts'
import { sayFault } from './say-fault.ts'
import { type ExecFace, serveExec } from './serve-exec.ts'
import { createSessions } from './sessions.ts'

const exitCodes = { ended: 0, failed: 1 } as const
/** Whoever started us over stdio may take its time. */
const greetingMs = 10_000

interface Built {
  readonly version: string
  /** What it finds out of this machine is of use to the other programs of the same build. */
  readonly build: string
}

/** Makes this process an exec-server until its client, or whoever started it, ends it. Resolves with the exit code. */
export async function runExecServer(options: ExecOptions, { version, build }: Built): Promise<number> {
  keepStdoutForProtocol()
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: options.lingerMs })
  const end = async () => {
    await sessions.close()
    await host.close()
  }
  endOnDefect(say, end)
  const ended = endOnSignals()
  void host.warmUp().catch(say)
  sweepLater(say, { socket: null })
  const { listen } = options
  const confinement = confinementHere(build)
  const face: ExecFace = {
    sessions,
    confinement,
    environmentInfo: async () => describeEnvironment(version, await confinement.report()),
    greetingMs: listen === null ? null : greetingMs,
    report,
  }
  try {
    if (listen === null) return await Promise.race([serveStdio(face), ended.then(() => exitCodes.ended)])
    await serveAll(listen, { face, tokenFile: options.tokenFile, ended })
    return exitCodes.ended
  } catch (error) {
    if (!(error instanceof ListenError || error instanceof UsageProblem)) throw error
    say(error.message)
    return exitCodes.failed
  } finally {
    await end()
  }
}

/** Who asks for it first waits while it is found out what this machine can do; the answer is kept in `$PARLEY_HOME`. */
function confinementHere(build: string): Confinement {
  const home = homedir()
  const parleyHome = homeFolder(process.env)
  const own = () => ownFiles(parleyHome)
  let secrets: Promise<SecretPaths> | null = null
  return createConfinement({
    sandboxes: openSandboxes({ cacheFile: join(parleyHome, 'cache', 'sandbox.json'), build, own }),
    secrets() {
      secrets ??= secretPaths({ home, parleyHome, own: own(), runFolders: ownRunFolders(process.env) }, diskFiles)
      return secrets
    },
    home,
    env: process.env,
    own,
    platform: process.platform,
  })
}

async function serveStdio(face: ExecFace): Promise<number> {
  const transport = createStreamTransport({ input: process.stdin, output: process.stdout })
  const { code, detail } = await serveExec(transport, face)
  if (code !== 'closed' || detail === undefined) return exitCodes.ended
  say(`The connection was closed, because the client broke the protocol: ${detail}.`)
  return exitCodes.failed
}

interface Serving {
  readonly face: ExecFace
  readonly tokenFile: string
  readonly ended: Promise<unknown>
}

/** Until it is told to end. */
async function serveAll(listen: Address, { face, tokenFile, ended }: Serving): Promise<void> {
  const connections = { accept: (transport: Transport) => void serveExec(transport, face).catch(say) }
  const { listener, address, tokenFile: used } = await listenOn(listen, { tokenFile }, { connections, home: '' })
  process.stderr.write(`parley exec-server listens on ${address}${used === null ? '' : ` (token in ${used})`}\n`)
  await ended
  await listener.close()
}

function endOnSignals(): Promise<unknown> {
  return Promise.race((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => once(process, signal)))
}

function report(fault: PeerFault): void {
  say(sayFault(fault))
}

function say(what: unknown): void {
  process.stderr.write(`parley exec-server: ${what instanceof Error ? (what.stack ?? what.message) : String(what)}\n`)
}
