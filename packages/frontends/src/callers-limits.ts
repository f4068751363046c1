import type { Ceiling } from '@parley/engine'
import type { Overrides, Settings } from '@parley/protocol'

/** Limits of the requests of a frontend's client. All functions throw, or reject with, `aboveCeiling`. */
export interface CallersLimits {
  /** True when the server was started with `--max-sandbox danger-full-access`. */
  readonly isUnlimited: boolean
  /** Returns the most that this server allows. */
  readonly ceiling: () => Ceiling
  /** Checks the config of a new conversation; the engine of this process checks its settings. */
  assertConfig(config: Overrides['config']): void
  /** Checks overrides of an existing conversation, which may be live in a process with a higher ceiling. */
  assertOverrides(overrides: Overrides, now: Settings): Promise<void>
  /**
   * Checks that a conversation may do no more than this server allows, since a message to it would bypass the ceiling.
   */
  assertReachable(core: { readonly meta: { readonly cwd: string }; readonly settings: Settings }): Promise<void>
}
