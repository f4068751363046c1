import { createNetworkFetch, type Env } from '@parley/models'
import { networkSettings } from '../settings/network-settings.ts'
import { readConfig } from '../settings/read-config.ts'

/**
 * Returns the `fetch` of logins and MCP servers, configured by `[network]` of the user's own configuration. All
 * conversations of a process share it, so `-c` does not count.
 */
export function configuredFetch(home: string, env: Env): typeof fetch {
  return createNetworkFetch(env, () => {
    const { network } = readConfig(home, {}).values
    return network === undefined ? {} : networkSettings(network, env)
  })
}
