import type { ConversationState, Overrides, Settings } from '@parley/protocol'
import { assertCallersConfig, type Ceiling, firstExcess } from '../engine/index.ts'
import { rejection } from '../replies/rejection.ts'

/** Limits for what a client of a frontend may request and continue. All functions throw, or reject with, `aboveCeiling`. */
export interface CallersLimits {
  /** True when the server was started with `--max-sandbox danger-full-access`. */
  readonly isUnlimited: boolean
  /** Returns the most that this server allows. */
  readonly ceiling: () => Ceiling
  /** Checks the config of a new conversation, whose settings the engine of this process checks. */
  assertConfig(config: Overrides['config']): void
  /** Checks overrides of an existing conversation, which may be live in a process with a higher ceiling. */
  assertOverrides(overrides: Overrides, now: Settings): Promise<void>
  /**
   * Checks that a conversation may do no more than this server allows, since a message to it would bypass the
   * ceiling.
   */
  assertReachable(core: ReachedCore): Promise<void>
}

/** Folder and settings of a conversation. */
type ReachedCore = { readonly meta: Pick<ConversationState['core']['meta'], 'cwd'>; readonly settings: Settings }

interface LimitsParts {
  /** Program that was started, as named behind `parley`, for advice. */
  readonly program: string
  readonly ceiling: () => Ceiling
  /** Throws `aboveCeiling` for overrides that ask for more than the ceiling. */
  readonly assertAllowed: (overrides: Overrides, now: Settings) => void
  /** Rejects with `aboveCeiling` for folders of secrets: another process may have been started for more. */
  readonly assertFolders: (folders: readonly string[]) => Promise<void>
  /** True when the server was started with `--max-sandbox danger-full-access`. */
  readonly isUnlimited: boolean
}

export function callersLimits({
  program,
  ceiling,
  assertAllowed,
  assertFolders,
  isUnlimited,
}: LimitsParts): CallersLimits {
  const assertConfig: CallersLimits['assertConfig'] = (config) =>
    isUnlimited ? undefined : assertCallersConfig(config)
  return {
    isUnlimited,
    ceiling,
    assertConfig,
    async assertOverrides(overrides, now) {
      assertConfig(overrides.config)
      assertAllowed(overrides, now)
      const { cwd, writableRoots = [], addDirs = [] } = overrides
      await assertFolders([...(cwd === undefined ? [] : [cwd]), ...writableRoots, ...addDirs])
    },
    async assertReachable({ meta, settings }) {
      const excess = firstExcess(settings, ceiling())
      if (excess === null) {
        // Folders of another machine are limited there.
        return settings.environment === undefined ? assertFolders([meta.cwd, ...settings.writableRoots]) : undefined
      }
      const { what, flags, key } = excess
      const ways = [...(key === undefined ? [] : [`${key} = true in your config.toml`]), `parley ${program} ${flags}`]
      throw rejection(
        'aboveCeiling',
        `That conversation has ${what}, and this server was not started for that. Whoever starts it can allow it: ${ways.join(', or ')}.`,
        { flag: flags.split(' ')[0] ?? flags },
      )
    },
  }
}
