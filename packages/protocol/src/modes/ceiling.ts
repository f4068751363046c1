import { isStricterSandbox, type SandboxMode } from './setting-names.ts'

/** Most that the owner of a server, or of an exec-server's machine, allows to sandboxed work. */
export interface SandboxCeiling {
  readonly sandbox: SandboxMode
  /** True to allow the whole network to all commands. */
  readonly network: boolean
  /** True to allow unix sockets, which lead to services of the machine. */
  readonly unixSockets: boolean
}

/** Permissions to compare with a ceiling; an absent one asks for nothing. */
export type SandboxPermissions = {
  readonly [Permission in keyof SandboxCeiling]?: SandboxCeiling[Permission] | undefined
}

/** Returns the first permission above the ceiling, in the order mode, network, unix sockets; null when all are within it. */
export function aboveSandboxCeiling(request: SandboxPermissions, ceiling: SandboxCeiling): keyof SandboxCeiling | null {
  const { sandbox, network = false, unixSockets = false } = request
  if (sandbox !== undefined && isStricterSandbox(ceiling.sandbox, sandbox)) return 'sandbox'
  if (network && !ceiling.network) return 'network'
  return unixSockets && !ceiling.unixSockets ? 'unixSockets' : null
}
