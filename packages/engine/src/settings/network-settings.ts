import { isAbsolute, join } from 'node:path'
import type { Config, ProviderSettings } from '@parley/config'
import { type Env, type ProviderConfig, providerDefaults } from '@parley/models'
import { withoutUndefined } from '@parley/text'

type NetworkFields = Pick<
  ProviderConfig,
  'requestMaxRetries' | 'streamMaxRetries' | 'streamIdleTimeoutMs' | 'connectTimeoutMs' | 'requestTimeoutMs' | 'network'
>

/** Returns the limits of a provider's requests and how its requests reach the network. */
export function networkFields(settings: ProviderSettings, { network }: Config, env: Env): NetworkFields {
  const { connect_timeout_ms: connectTimeoutMs, request_timeout_ms: requestTimeoutMs } = settings
  return {
    requestMaxRetries: settings.request_max_retries ?? providerDefaults.requestMaxRetries,
    streamMaxRetries: settings.stream_max_retries ?? providerDefaults.streamMaxRetries,
    streamIdleTimeoutMs: settings.stream_idle_timeout_ms ?? providerDefaults.streamIdleTimeoutMs,
    ...withoutUndefined({ connectTimeoutMs, requestTimeoutMs }),
    ...(network === undefined ? {} : { network: networkSettings(network, env) }),
  }
}

/** Returns the settings of `[network]`, with the CA file as an absolute path. */
export function networkSettings(
  { proxy, no_proxy: noProxy, ca_file: caFile, system_ca: systemCa }: NonNullable<Config['network']>,
  env: Env,
): NonNullable<NetworkFields['network']> {
  const isPlain = caFile === undefined || isAbsolute(caFile)
  const absoluteFile = isPlain ? caFile : join(env['HOME'] ?? '/', caFile.slice(2))
  return withoutUndefined({ proxy, noProxy, caFile: absoluteFile, systemCa })
}
