import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { packagePlace } from '@parley/engine'
import type { Host, Sandboxes } from '@parley/host'
import type { PluginPorts } from '@parley/models'
import type { SecretPaths } from '@parley/workspace'

interface PluginParts {
  readonly host: Host
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Path of the program that runs a package. */
  readonly program: string
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPaths>
}

/** Returns the place of provider packages, and the limits of their processes. */
export function pluginPorts({ host, home, program, sandboxes, secrets }: PluginParts): PluginPorts {
  return {
    host,
    program,
    folderOf: (name) => packagePlace(home, name),
    async sandbox(shown) {
      const { enforcement } = await sandboxes.report()
      if (enforcement !== 'full') return null
      return await sandboxes.prepare(limitsOf([...shown, dirname(program), dirname(process.execPath)], await secrets()))
    },
  }
}

/**
 * Returns the limits of a package: the network, its own processes alone, nothing to write, no secret to read. `paths`
 * are shown even in a hidden folder: a package is in the home or in /tmp.
 */
function limitsOf(paths: readonly string[], masked: SecretPaths): Parameters<Sandboxes['prepare']>[0] {
  const writableRoots = [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))]
  return { mode: 'read-only', writableRoots, network: true, unixSockets: false, masked, scratch: null }
}
