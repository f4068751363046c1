import { assertCallersConfig, type Ceiling, firstExcess, rejection } from '@parley/engine'
import type { CallersLimits } from '@parley/frontends'
import type { Overrides, Settings } from '@parley/protocol'

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
