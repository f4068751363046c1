import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readKey } from '../../exchange/endpoint.ts'
import { proxyVariables } from '../../http/network.ts'
import type { ModelFailure } from '../../port/model-client.ts'
import type { ClientPorts, Provider } from '../../port/wire.ts'
import { PluginProcess } from './plugin-process.ts'

/** Name of the folder of a package below `providers`. */
function pluginFolderName(packageName: string): string {
  return packageName.replace(/^@/, '').replaceAll('/', '__')
}

export type Started = { readonly process: PluginProcess } | { readonly failure: ModelFailure }

/** Starts the process at the first call, and again when it has ended or the user logged in anew or out. */
export function createPlugin(provider: Provider, ports: ClientPorts): () => Started {
  let running: PluginProcess | null = null
  let given: string | undefined
  return () => {
    const key = keyOf(provider, ports)
    // One with an earlier key finishes its calls, and ends when it is no longer used.
    if (running?.isRunning === true && key === given) return { process: running }
    const { plugins } = ports
    const packageName = provider.package ?? ''
    const folder = join(plugins?.folder ?? '', pluginFolderName(packageName))
    const entry = join(folder, 'entry.mjs')
    if (plugins === undefined || !existsSync(entry)) {
      const message = `The package ${packageName} of ${provider.name} is not installed. \`parley provider add ${packageName}\` installs it.`
      return { failure: { code: 'invalidRequest', message, retry: 'never' } }
    }
    if (provider.envKey !== undefined && key === undefined) {
      const message = `No key for ${provider.name}: ${provider.envKey} is not set. Set it, or choose another model_provider.`
      return { failure: { code: 'noCredentials', message, retry: 'never' } }
    }
    const own = realpathSync(folder)
    const child = plugins.host.spawnStreams({
      argv: [
        process.execPath,
        '--permission',
        `--allow-fs-read=${own}`,
        `--allow-fs-read=${plugins.program}`,
        plugins.program,
      ],
      cwd: own,
      env: envOf(provider, ports),
    })
    const { factory } = provider
    given = key
    running = new PluginProcess(child, {
      entry,
      packageName,
      ...(factory === undefined ? {} : { factory }),
      settings: settingsOf(provider, ports),
    })
    return { process: running }
  }
}

/** Returns the key of the provider's variables, else the one that the user logged in with. */
export function keyOf(provider: Provider, { env, keptKey }: ClientPorts): string | undefined {
  return readKey(provider, env) ?? keptKey?.()
}

/** Returns what the package's factory gets. */
function settingsOf(provider: Provider, ports: ClientPorts): object {
  const { id, baseUrl, headers, envHeaders = {}, queryParams } = provider
  const apiKey = keyOf(provider, ports)
  const fromVariables = Object.entries(envHeaders).flatMap(([name, variable]) => {
    const value = ports.env[variable]?.trim() ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  return {
    name: id,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === '' ? {} : { baseURL: baseUrl }),
    headers: { ...headers, ...Object.fromEntries(fromVariables) },
    ...(Object.keys(queryParams).length === 0 ? {} : { queryParams }),
  }
}

/** Returns all variables of the process: the provider's key and those for proxies. */
function envOf(provider: Provider, ports: ClientPorts): Record<string, string> {
  const { envKey, network } = provider
  const key = keyOf(provider, ports)
  const proxies = proxyVariables(ports.env, network)
  return {
    ...(envKey === undefined || key === undefined ? {} : { [envKey]: key }),
    ...proxies,
    ...(Object.keys(proxies).length === 0 ? {} : { NODE_USE_ENV_PROXY: '1' }),
    ...(network?.systemCa === true ? { NODE_USE_SYSTEM_CA: '1' } : {}),
    ...(network?.caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: network.caFile }),
  }
}
