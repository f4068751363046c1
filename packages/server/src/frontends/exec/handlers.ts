import { homedir, tmpdir, userInfo } from 'node:os'
import { basename } from 'node:path'
import { commandEnv, type SandboxReport } from '@parley/host'
import type { ExecMethodName } from '@parley/protocol/exec'
import type { MethodHandler } from '@parley/rpc'
import { createFileHandlers } from './files/handlers.ts'
import { createInitialize, type EnvironmentInfo, type InitializeParts } from './handshake.ts'
import { olderNames, type SpokenLink } from './link.ts'
import { decodeExecParams, type ExecHandlers, uriOf } from './params.ts'
import { createProcessHandlers } from './process-handlers.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'

interface HandlerParts extends InitializeParts {
  readonly enforcer: PolicyEnforcer
}

/**
 * Returns the methods under all their names. The handshake is checked before the parameters, both before the handler
 * runs.
 */
export function createHandlers(parts: HandlerParts): Record<string, MethodHandler> {
  const { handshake, link, enforcer, environmentInfo } = parts
  const handlers: ExecHandlers = {
    initialize: createInitialize(parts),
    'environment/info': environmentInfo,
    ...createProcessHandlers(() => handshake.session, enforcer),
    ...createFileHandlers(link, enforcer),
  }
  const names = Object.keys(handlers) as ExecMethodName[] // narrowed: the table has exactly the protocol's methods
  const methods = names.map((name) => [name, guard(name, handlers, parts)] as const)
  const aliases = Object.entries(olderNames).map(([older, name]) => {
    const handle = guard(name, handlers, parts, () => link.settleSpelling('command'))
    return [older, handle] as const
  })
  return Object.fromEntries([...methods, ...aliases])
}

function guard<Name extends ExecMethodName>(
  name: Name,
  handlers: ExecHandlers,
  { handshake, link }: HandlerParts,
  settle = () => settleCurrent(name, link),
): MethodHandler {
  return (params, context) => {
    if (name === 'initialize') handshake.assertNew()
    else void handshake.session
    settle()
    return handlers[name](decodeExecParams(name, params), context)
  }
}

function settleCurrent(name: ExecMethodName, link: SpokenLink): void {
  if (name.startsWith('process/')) link.settleSpelling('process')
}

/** Describes this machine: shell, folders, environment variables, sandbox and capabilities. */
export function describeEnvironment(version: string, sandbox: SandboxReport): EnvironmentInfo {
  const shell = userShell()
  return {
    shell: { name: basename(shell), path: shell },
    executorVersion: version,
    cwd: uriOf(process.cwd()),
    userHomeDir: uriOf(homedir()),
    tempDir: uriOf(tmpdir()),
    env: commandEnv(process.env),
    platformOs: process.platform === 'darwin' ? 'macos' : process.platform,
    sandbox: { enforcement: sandbox.enforcement, reason: sandbox.reason },
    capabilities: {
      sandbox: sandbox.enforcement !== 'none',
      pty: true,
      processResize: true,
      sessionResume: true,
      outputGaps: true,
      fileHashes: true,
    },
  }
}

/** Returns the user's login shell; a user without a passwd entry gets `$SHELL` or `/bin/sh`. */
function userShell(): string {
  try {
    return userInfo().shell ?? process.env['SHELL'] ?? '/bin/sh'
  } catch {
    return process.env['SHELL'] ?? '/bin/sh'
  }
}
