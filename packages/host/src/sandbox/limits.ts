/** What a command may do. Paths are absolute and real (no links in them), of the machine it runs on. */
export interface SandboxLimits {
  readonly mode: 'read-only' | 'workspace-write'
  /** Folders that may be written to, the workspace first; without effect where the mode is read-only. */
  readonly writableRoots: readonly string[]
  /** All or nothing. Without it there is a loopback of its own, on which test servers work. */
  readonly network: boolean
  /** Whether unix sockets may be made; well-known ones of the system stay masked. */
  readonly unixSockets: boolean
  /** Files and folders that cannot be read: where secrets are kept. Those that do not exist are left out by the sandbox. */
  readonly masked: readonly string[]
  /** A private folder that exists, seen as /tmp; null gives an empty one that goes with the command. */
  readonly scratch: string | null
}
