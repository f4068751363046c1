import { isAbsolute, join } from 'node:path'
import type { Config, ProviderSettings } from '@parley/config'
import type { Env, ProviderConfig } from '@parley/models'

type NetworkFields = Pick<ProviderConfig, 'connectTimeoutMs' | 'requestTimeoutMs' | 'network'>

/** Returns the time limits of a provider and how its requests reach the network. */
export function networkFields(
  { connect_timeout_ms: connectTimeoutMs, request_timeout_ms: requestTimeoutMs }: ProviderSettings,
  { network }: Config,
  env: Env,
): NetworkFields {
  return {
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(network === undefined ? {} : { network: settingsOf(network, env) }),
  }
}

function settingsOf(
  { proxy, no_proxy: noProxy, ca_file: caFile, system_ca: systemCa }: NonNullable<Config['network']>,
  env: Env,
): NonNullable<NetworkFields['network']> {
  return {
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...(caFile === undefined
      ? {}
      : { caFile: isAbsolute(caFile) ? caFile : join(env['HOME'] ?? '/', caFile.slice(2)) }),
    ...(systemCa === undefined ? {} : { systemCa }),
  }
}
