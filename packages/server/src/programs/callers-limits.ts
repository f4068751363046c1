import { assertCallersConfig, firstExcess, rejection, type ServerLimits } from '@parley/engine'
import type { CallersLimits } from '@parley/frontends'
import type { ProgramCeiling } from './arguments.ts'

/** Returns the limits for requests to a program that was started with flags. */
export function callersLimits(
  { program, maxSandbox }: Pick<ProgramCeiling, 'program' | 'maxSandbox'>,
  server: ServerLimits,
): CallersLimits {
  const { ceiling } = server
  const isUnlimited = maxSandbox === 'danger-full-access'
  const assertConfig: CallersLimits['assertConfig'] = (config) =>
    isUnlimited ? undefined : assertCallersConfig(config)
  return {
    isUnlimited,
    ceiling,
    assertConfig,
    async assertOverrides(overrides, now) {
      assertConfig(overrides.config)
      server.assertAllowed(overrides, now)
      const { cwd, writableRoots = [], addDirs = [] } = overrides
      await server.assertFolders([...(cwd === undefined ? [] : [cwd]), ...writableRoots, ...addDirs])
    },
    async assertReachable({ meta, settings }) {
      const excess = firstExcess(settings, ceiling())
      if (excess === null) {
        // Folders of another machine are limited there.
        return settings.environment === undefined
          ? server.assertFolders([meta.cwd, ...settings.writableRoots])
          : undefined
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
