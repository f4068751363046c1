import type { Host, Sandbox } from '@parley/host'
import type { Env } from './provider.ts'

export interface ExchangeLimits {
  readonly connectTimeoutMs: number
  readonly listTimeoutMs: number
  readonly maxEventChars: number
  readonly maxResponseBytes: number
  readonly maxResponseMs: number
}

export const defaultLimits: ExchangeLimits = {
  connectTimeoutMs: 10_000,
  listTimeoutMs: 15_000,
  maxEventChars: 32 * 1024 * 1024,
  maxResponseBytes: 128 * 1024 * 1024,
  maxResponseMs: 60 * 60_000,
}

/** Place and processes of provider packages. */
export interface PluginPorts {
  readonly host: Pick<Host, 'spawnStreams'>
  /** Path of the program that runs a package. */
  readonly program: string
  /** Returns the folder of an installed package; null for a text that cannot be the name of a package. */
  folderOf(packageName: string): string | null
  /**
   * Prepares the sandbox of a process that sees these files and folders, wherever they lie. Resolves with null on a
   * machine that enforces no limits; rejects with a sentence when they cannot be set up, and nothing is started then.
   */
  readonly sandbox?: (shown: readonly string[]) => Promise<Sandbox | null>
}

export interface ClientPorts {
  /** Variables for keys, configured headers and proxies. */
  readonly env: Env
  /** Returns the key of the user's login, for a provider without a key in its variables. Read for each request. */
  readonly keptKey?: () => string | undefined
  readonly now?: () => number
  readonly limits?: Partial<ExchangeLimits>
  /** Left out where no package can be run. */
  readonly plugins?: PluginPorts
  /** True when a recording streams its text at reading speed. */
  readonly paced?: boolean
  /** Waits while a recording streams. Must settle, either way, when the signal aborts. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>
}
