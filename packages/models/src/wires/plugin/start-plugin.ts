import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ownNode } from '@parley/host'
import { errorMessage } from '@parley/text'
import { noCredentials, readKey } from '../../exchange/endpoint.ts'
import { proxyVariables } from '../../http/network.ts'
import type { ClientPorts, PluginPorts } from '../../port/client-ports.ts'
import type { ModelFailure } from '../../port/model-client.ts'
import type { Provider } from '../../port/provider.ts'
import { PluginProcess } from './plugin-process.ts'

type StartedPlugin = { readonly process: PluginProcess } | { readonly failure: ModelFailure }

interface Running {
  /** Package and settings that it was started for. */
  readonly wanted: string
  /** The process once it runs; null while its sandbox is prepared. */
  process: PluginProcess | null
  readonly started: Promise<StartedPlugin>
}

/** Provider with the process of its package. */
export interface Plugin {
  readonly provider: Provider
  readonly ports: ClientPorts
  /** Starts the process at the first call, and anew when it has ended, or its key or package is another one. */
  start(): Promise<StartedPlugin>
}

export function createPlugin(provider: Provider, ports: ClientPorts): Plugin {
  let running: Running | null = null

  function begin(wanted: string, launch: Launch): Running {
    const begun: Running = {
      wanted,
      process: null,
      started: startProcess(launch).then((started) => {
        if ('process' in started) begun.process = started.process
        else if (running === begun) running = null
        return started
      }),
    }
    return begun
  }

  async function start(): Promise<StartedPlugin> {
    const { plugins } = ports
    const packageName = provider.package ?? ''
    const installed = installedAt(plugins?.folderOf(packageName) ?? null)
    if (plugins === undefined || installed === null) {
      const message = `The package ${packageName} of ${provider.name} is not installed. \`parley provider add ${packageName}\` installs it.`
      return { failure: { code: 'invalidRequest', message, retry: 'never' } }
    }
    if (provider.envKey !== undefined && keyOf(provider, ports) === undefined)
      return { failure: noCredentials(provider, provider.envKey) }
    const settings = settingsOf(provider, ports)
    const wanted = JSON.stringify([installed, settings])
    if (running?.wanted === wanted && running.process?.isRunning !== false) return running.started
    void running?.started.then((before) => 'process' in before && before.process.retire())
    running = begin(wanted, { provider, plugins, settings, folder: installed.folder, env: envOf(provider, ports) })
    return running.started
  }

  return { provider, ports, start }
}

interface Launch {
  readonly provider: Provider
  readonly plugins: PluginPorts
  readonly settings: object
  readonly folder: string
  readonly env: Record<string, string>
}

/** Starts the process of a package in its sandbox, where this machine has one. Never rejects. */
async function startProcess({ provider, plugins, settings, folder, env }: Launch): Promise<StartedPlugin> {
  const { name, package: packageName = '', factory } = provider
  try {
    const authorities = env['NODE_EXTRA_CA_CERTS']
    const shown = authorities === undefined ? [folder] : [folder, authorities]
    const sandbox = (await plugins.sandbox?.(shown)) ?? null
    const limited = sandbox === null ? {} : { sandbox }
    const child = plugins.host.spawnStreams({ argv: argvOf(folder, plugins), cwd: folder, env, ...limited })
    const opening = {
      entry: join(folder, 'entry.mjs'),
      packageName,
      ...(factory === undefined ? {} : { factory }),
      settings,
    }
    return { process: new PluginProcess(child, opening) }
  } catch (error) {
    const why = errorMessage(error)
    const message = `The package ${packageName} of ${name} was not started, since its sandbox could not be set up: ${why}`
    return { failure: { code: 'providerError', message, retry: 'short' } }
  }
}

interface Installed {
  /** Real path of the package's folder. */
  readonly folder: string
  /** Number of the folder on its disk: another one after the package was installed again. */
  readonly inode: number
}

/** Returns the installed package in a folder; null where no package is installed. */
function installedAt(place: string | null): Installed | null {
  if (place === null || statSync(join(place, 'entry.mjs'), { throwIfNoEntry: false }) === undefined) return null
  const folder = realpathSync(place)
  return { folder, inode: statSync(folder).ino }
}

/** Returns the words of a Node process that reads nothing but its program and its package. */
function argvOf(folder: string, { program }: PluginPorts): readonly string[] {
  // Since version 25 Node's permission model covers the network, too.
  const network = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []
  const limits = ['--permission', `--allow-fs-read=${folder}`, `--allow-fs-read=${program}`, ...network]
  return [...ownNode, ...limits, program]
}

/** Returns the key of the provider's variables, else the one that the user logged in with. */
export function keyOf(provider: Provider, { env, keptKey }: ClientPorts): string | undefined {
  return readKey(provider, env) ?? keptKey?.()
}

/** Returns the settings for the package's factory. */
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

/** Hosts of this machine, which no proxy would find. */
const ownHosts = 'localhost,127.0.0.1,[::1]'

/** Returns all variables of the process: the provider's key and the variables for proxies. */
function envOf(provider: Provider, ports: ClientPorts): Record<string, string> {
  const { envKey, network } = provider
  const key = keyOf(provider, ports)
  const { NO_PROXY: exempt, ...proxies } = proxyVariables(ports.env, network)
  const isProxied = Object.keys(proxies).length > 0
  const direct = exempt === undefined || exempt === '*' ? (exempt ?? ownHosts) : `${exempt},${ownHosts}`
  return {
    ...(envKey === undefined || key === undefined ? {} : { [envKey]: key }),
    ...proxies,
    ...(isProxied ? { NODE_USE_ENV_PROXY: '1', NO_PROXY: direct } : {}),
    ...(network?.systemCa === true ? { NODE_USE_SYSTEM_CA: '1' } : {}),
    ...(network?.caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: network.caFile }),
  }
}
