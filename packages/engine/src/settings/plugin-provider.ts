import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, ProviderSettings } from '@parley/config'
import type { Env, ProviderConfig } from '@parley/models'
import { packageFolder, withoutUndefined } from '@parley/text'
import { networkFields } from './network-settings.ts'

/** Returns a provider that an AI SDK package speaks with; its address is the package's own unless one is configured. */
export function pluginProvider(
  id: string,
  settings: ProviderSettings,
  { config, env }: { readonly config: Config; readonly env: Env },
): ProviderConfig {
  const { package: packageName = '', factory, env_key: envKey, env_headers: envHeaders } = settings
  return {
    id,
    name: settings.name ?? id,
    wireApi: 'plugin',
    baseUrl: settings.base_url ?? '',
    package: packageName,
    ...withoutUndefined({ factory, envKey, envHeaders }),
    headers: settings.headers ?? {},
    queryParams: settings.query_params ?? {},
    ...networkFields(settings, config, env),
  }
}

/** Returns the folder in which `parley provider add` puts a package; null for a text that is not a package name. */
export function packagePlace(home: string, packageName: string): string | null {
  const folder = packageFolder(packageName)
  return folder === null ? null : join(home, 'providers', folder)
}

export function isInstalled(home: string, packageName: string): boolean {
  const place = packagePlace(home, packageName)
  return place !== null && existsSync(join(place, 'entry.mjs'))
}
