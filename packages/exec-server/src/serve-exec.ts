import { homedir, tmpdir, userInfo } from 'node:os'
import { basename } from 'node:path'
import { commandEnv, type SandboxReport } from '@parley/host'
import type { ExecMethodName } from '@parley/protocol/exec'
import {
  type CloseReason,
  createPeer,
  type Incoming,
  type MethodHandler,
  type Peer,
  type PeerFault,
  type Transport,
  withIncoming,
} from '@parley/rpc'
import { isRecord } from '@parley/text'
import type { Epochs } from './epochs.ts'
import { createFileHandlers } from './files/handlers.ts'
import {
  type AssertServed,
  createHandshake,
  createInitialize,
  type EnvironmentInfo,
  type Handshake,
  type InitializeParts,
} from './handshake.ts'
import { createPortHandlers } from './port-handlers.ts'
import { createProcessHandlers } from './process-handlers.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { Sessions } from './sessions.ts'
import { createLink, olderNames, type SpokenLink } from './wire/client-link.ts'
import { decodeExecParams, type ExecHandlers, unknownMethod, uriOf } from './wire/requests.ts'

export interface ExecParts {
  readonly sessions: Sessions
  readonly epochs: Epochs
  readonly enforcer: PolicyEnforcer
  /** Resolves with the environment as it is now. */
  readonly environmentInfo: () => Promise<EnvironmentInfo>
  /** Throws where the machine does not work for the people of a connection; absent: it works for all. */
  readonly assertServed?: AssertServed
  /** Time limit for `initialize`; null for no limit. */
  readonly initializeTimeoutMs: number | null
  report(fault: PeerFault): void
}

/**
 * Serves one client until its connection closes; `sessions` decides how long its processes live on. `onClient` is called
 * when it begins. `detail` of the result names a protocol violation that closed the connection.
 */
export async function serveExec(
  transport: Transport,
  parts: ExecParts,
  onClient: () => void = () => undefined,
): Promise<CloseReason> {
  const { sessions, epochs, enforcer, environmentInfo, assertServed } = parts
  const handshake = createHandshake()
  let peer: Peer | null = null
  const link = createLink(transport, () => {
    if (peer === null) throw new Error('a session was opened before its connection')
    return peer
  })
  let violation: string | null = null
  const findViolation = (message: ClientMessage) => {
    violation = violationIn(message, handshake)
    return violation
  }
  peer = createPeer({
    transport: enforceProtocol(transport, findViolation),
    methods: createHandlers({
      ...{ handshake, link, sessions, epochs, enforcer, environmentInfo, onClient },
      ...(assertServed === undefined ? {} : { assertServed }),
    }),
    unknownMethod,
    onFault: parts.report,
  })
  const timeout =
    parts.initializeTimeoutMs === null
      ? undefined
      : setTimeout(closeUninitialized, parts.initializeTimeoutMs, handshake, peer).unref()
  const reason = await peer.closed
  clearTimeout(timeout)
  const session = handshake.opened
  if (session !== null) await sessions.leave(session, link)
  return violation === null ? reason : { code: 'closed', detail: violation }
}

function violationIn(message: ClientMessage, handshake: Handshake): string | null {
  if (message.kind === 'reply') return 'it answered what it was not asked'
  const { method } = message
  if (method !== 'initialized')
    return `it sent the notification ${JSON.stringify(method).slice(0, 100)}; the only one is "initialized"`
  return handshake.confirmed() ? null : 'it sent "initialized" before "initialize"'
}

function closeUninitialized(handshake: Handshake, peer: Peer): void {
  if (handshake.opened === null) void peer.close()
}

/** Returns why a message violates the protocol; null when it does not. */
type FindViolation = (message: ClientMessage) => string | null

type ClientMessage = { readonly kind: 'notification'; readonly method: unknown } | { readonly kind: 'reply' }

/**
 * Returns a transport that ends at the first protocol violation. It adds `jsonrpc` to messages without it, since
 * existing clients leave it out.
 */
function enforceProtocol(transport: Transport, findViolation: FindViolation): Transport {
  return withIncoming(transport, readChecked(transport.incoming, findViolation))
}

async function* readChecked(
  incoming: Transport['incoming'],
  findViolation: FindViolation,
): AsyncGenerator<Incoming, CloseReason, undefined> {
  const lines = incoming[Symbol.asyncIterator]()
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done === true) return step.value
    const fault = step.value.kind === 'message' ? violationOf(step.value.value, findViolation) : null
    if (fault !== null) return { code: 'closed', detail: fault }
    yield withVersion(step.value)
  }
}

function violationOf(value: unknown, findViolation: FindViolation): string | null {
  if (!isRecord(value)) return null
  const { method } = value
  if (method !== undefined) return 'id' in value ? null : findViolation({ kind: 'notification', method })
  return 'result' in value || 'error' in value ? findViolation({ kind: 'reply' }) : null
}

function withVersion(incoming: Incoming): Incoming {
  if (incoming.kind !== 'message' || !isRecord(incoming.value) || 'jsonrpc' in incoming.value) return incoming
  return { kind: 'message', value: { jsonrpc: '2.0', ...incoming.value } }
}

interface HandlerParts extends InitializeParts {
  readonly enforcer: PolicyEnforcer
}

/**
 * Returns the methods under all their names. The handshake is checked before the parameters, both before the handler
 * runs.
 */
function createHandlers(parts: HandlerParts): Record<string, MethodHandler> {
  const { handshake, link, enforcer, environmentInfo } = parts
  const handlers: ExecHandlers = {
    initialize: createInitialize(parts),
    'environment/info': environmentInfo,
    ...createProcessHandlers(() => handshake.session, enforcer),
    ...createFileHandlers(link, enforcer),
    ...createPortHandlers(() => handshake.session, enforcer, link),
  }
  const names = Object.keys(handlers) as ExecMethodName[] // narrowed: the table has exactly the protocol's methods
  const methodOf = createMethod(handlers, parts)
  const methods = names.map((name) => [name, methodOf(name, () => settleCurrent(name, link))] as const)
  const aliases = Object.entries(olderNames).map(
    ([older, name]) => [older, methodOf(name, () => link.settleSpelling('command'))] as const,
  )
  return Object.fromEntries([...methods, ...aliases])
}

/** Methods that may wait for a process to read or to answer; the server of a later epoch does not wait for them. */
const mayWait: ReadonlySet<ExecMethodName> = new Set(['process/write', 'port/connect', 'port/write'])

/** Returns a function from method to its checked handler; `settle` runs after the check of the handshake. */
function createMethod(handlers: ExecHandlers, { handshake, epochs }: HandlerParts) {
  return <Name extends ExecMethodName>(name: Name, settle: () => void): MethodHandler =>
    (params, context) => {
      if (name === 'initialize') handshake.assertNew()
      // Reading the session throws before the handshake.
      else void handshake.session
      settle()
      const decoded = decodeExecParams(name, params)
      const run = () => handlers[name](decoded, context)
      // The handshake looks at its fence by itself.
      const fence = 'fence' in decoded && name !== 'initialize' ? decoded.fence : undefined
      if (fence === undefined) return run()
      return mayWait.has(name) ? epochs.enter(fence).then(run) : epochs.run(fence, run)
    }
}

/** Fixes the current method names where a request has two. */
function settleCurrent(name: ExecMethodName, link: SpokenLink): void {
  if (name.startsWith('process/')) link.settleSpelling('process')
}

/** Describes this machine: shell, folders, environment variables, sandbox and capabilities. */
export function describeEnvironment(version: string, sandbox: SandboxReport, ports: boolean): EnvironmentInfo {
  const shell = userShell()
  return {
    shell: { name: basename(shell), path: shell },
    executorVersion: version,
    cwd: uriOf(process.cwd()),
    userHomeDir: uriOf(homedir()),
    tempDir: uriOf(tmpdir()),
    // The server that asks knows the folders, and judges again.
    env: commandEnv(process.env, { changeable: [] }),
    platformOs: process.platform === 'darwin' ? 'macos' : process.platform,
    sandbox: describeSandbox(sandbox),
    capabilities: {
      sandbox: sandbox.enforcement !== 'none',
      pty: true,
      processResize: true,
      sessionResume: true,
      outputGaps: true,
      fences: true,
      fileHashes: true,
      ports,
    },
  }
}

function describeSandbox({ enforcement, reason, sharesLoopback }: SandboxReport) {
  return { enforcement, reason, ...(sharesLoopback === true ? { sharesLoopback } : {}) }
}

/** Returns the user's login shell; a user without a passwd entry gets `$SHELL` or `/bin/sh`. */
function userShell(): string {
  try {
    return userInfo().shell ?? process.env['SHELL'] ?? '/bin/sh'
  } catch {
    return process.env['SHELL'] ?? '/bin/sh'
  }
}
