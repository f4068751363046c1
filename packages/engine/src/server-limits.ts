import type { Overrides, Settings } from '@parley/protocol'
import type { SecretPaths } from '@parley/workspace'
import type { Ceiling } from './limits/ceiling.ts'
import { assertNoSecretFolder } from './limits/workspace-folders.ts'
import { assertOverridesAllowed } from './settings/read-config.ts'

/** Limits of a server for all conversations. */
export interface ServerLimits {
  /** Returns the highest limits this server allows, read now from its command line and the user's own files. */
  readonly ceiling: () => Ceiling
  /** Throws `aboveCeiling` for overrides that ask for more than this server allows. */
  assertAllowed(overrides: Overrides, now: Settings): void
  /** Rejects with `aboveCeiling` for folders of this machine with secrets that the user has not allowed. */
  assertFolders(folders: readonly string[]): Promise<void>
}

interface LimitSources {
  readonly home: string
  readonly ceiling: () => Ceiling
  readonly secrets: () => Promise<SecretPaths>
}

export function createServerLimits({ home, ceiling, secrets }: LimitSources): ServerLimits {
  return {
    ceiling,
    assertAllowed: (overrides, now) => assertOverridesAllowed(overrides, now, { home, ceiling }),
    assertFolders: async (folders) => assertNoSecretFolder(folders, { home, ceiling, secrets: await secrets() }),
  }
}
