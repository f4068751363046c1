import { setTimeout as delay } from 'node:timers/promises'
import {
  commandEnv,
  type Host,
  identityOf,
  noSandbox,
  type ProcessExit,
  type Sandbox,
  type Sandboxes,
  type StreamedProcess,
} from '@parley/host'
import { diskTree, isUnchanged, type ServerSandboxPolicy } from '@parley/policy'
import { liesWithin, type SecretPaths } from '@parley/workspace'
import type { ServerLogFile } from './server-log-file.ts'
import type { McpLaunch } from './settings.ts'

export interface ProgramPorts {
  readonly host: Pick<Host, 'spawnStreams'>
  /** Sandboxes of this machine, for servers that a project configures. */
  readonly sandboxes: Sandboxes
  /** Paths that such a server must not read. */
  readonly secrets: () => Promise<SecretPaths>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Machine that the programs of a conversation start on, if it is another one. */
export interface ProgramPlace {
  /** Key that separates the servers of different machines. */
  readonly key: string
  /** Prepares a start, right before it. Rejects with a sentence where the program must not, or cannot, start. */
  open(launch: StdioLaunch): Promise<Pick<ProgramPorts, 'host' | 'env'> & { readonly sandbox: Sandbox }>
}

export type StdioLaunch = Extract<McpLaunch, { kind: 'stdio' }>

interface StartWatch {
  /** Other machine that the program starts on; null for this one. */
  readonly place: ProgramPlace | null
  readonly signal: AbortSignal
  readonly log: ServerLogFile
}

/** Starts the program of a server and logs its stderr. Throws when it may not be started or the signal has aborted. */
export async function startProgram(
  launch: StdioLaunch,
  ports: ProgramPorts,
  { place, signal, log }: StartWatch,
): Promise<StreamedProcess> {
  const { argv, cwd, env, envVars, sandboxPolicy } = launch
  const { host, env: known, sandbox } = await (place?.open(launch) ?? openHere(sandboxPolicy, ports))
  if (signal.aborted) {
    sandbox.release?.()
    throw new Error('it is no longer wanted')
  }
  const program = host.spawnStreams({
    argv,
    cwd,
    env: commandEnv(known, { include: envVars, set: env }),
    sandbox,
  })
  if (program.stderr !== null) log.follow(program.stderr)
  return program
}

async function openHere(sandboxPolicy: ServerSandboxPolicy | undefined, ports: ProgramPorts) {
  const sandbox = sandboxPolicy === undefined ? noSandbox : await prepareSandbox(sandboxPolicy, ports)
  return { host: ports.host, env: ports.env, sandbox }
}

/**
 * Prepares the sandbox of a server that a project configures, right before its start. Throws when its files changed
 * since they were trusted, when its folder changed since the conversation opened, and where there is neither a full
 * sandbox nor permission to run without one.
 */
async function prepareSandbox(
  { root, rootIdentity, mode, network, mayRunUnsandboxed, programs }: ServerSandboxPolicy,
  { sandboxes, secrets }: ProgramPorts,
): Promise<Sandbox> {
  assertUnchanged(programs.find((program) => !isUnchanged({ root, tree: diskTree }, program)))
  if (rootIdentity !== null && identityOf(root) !== rootIdentity)
    throw new Error(
      `${root} is not the folder that it was when this conversation opened; a new conversation (/new) uses it as it is now`,
    )
  const { enforcement } = await sandboxes.report()
  if (enforcement === 'full') {
    const masked = (await secrets()).filter((secret) => !liesWithin(root, secret))
    return await sandboxes.prepare({
      mode,
      writableRoots: [root],
      ...(rootIdentity === null ? {} : { identities: new Map([[root, rootIdentity]]) }),
      network,
      unixSockets: false,
      masked,
      looksAtEnd: false,
      scratch: null,
    })
  }
  return withoutSandbox(mayRunUnsandboxed)
}

/** Throws for a file with other content than the trusted one. */
export function assertUnchanged(changed: { readonly path: string } | undefined): void {
  if (changed === undefined) return
  throw new Error(
    `${changed.path} has changed since it was trusted; /trust shows the change, and a new conversation (/new) starts with it`,
  )
}

/** Returns no sandbox for a server that is trusted to run without one. Throws for any other. */
export function withoutSandbox(mayRunUnsandboxed: boolean): Sandbox {
  if (mayRunUnsandboxed) return noSandbox
  throw new Error('it was trusted only inside the sandbox, and there is no sandbox now; /trust asks again')
}

/** Time limit for the exit of a program after the end of its output. */
const exitMs = 250

/** Resolves with the end of a program after the end of its output; null when it runs on, and for an endpoint. */
export async function endOf(program: StreamedProcess | null): Promise<string | null> {
  const end = program === null ? null : await Promise.race([program.ended, delay(exitMs, null)])
  return end === null ? null : endText(end)
}

function endText({ exitCode, signal, spawnError }: ProcessExit): string {
  if (spawnError !== undefined) return spawnError.message
  return signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`
}
