/** Variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** Network settings of requests; a setting that is left out comes from the environment variables or from Node. */
export interface NetworkSettings {
  /** Address of the proxy; it goes before the proxies of the variables. */
  readonly proxy?: string
  /** Hosts that are reached without the proxy: names, `.suffix`, `*`, each with an optional port. */
  readonly noProxy?: readonly string[]
  /** Absolute path of further authorities in PEM form. */
  readonly caFile?: string
  /** True when the authorities of the system are trusted, too. */
  readonly systemCa?: boolean
}

/** Places of a provider's key. */
export interface KeySource {
  readonly id: string
  /** Variable that holds the key; absent for servers that need no key. */
  readonly envKey?: string
  /** Variable that is read when `envKey` is not set. */
  readonly otherEnvKey?: string
}

/** Address of a provider, with everything that its configuration adds to requests. */
export interface ProviderAddress {
  /** Address that all paths are below; empty for a provider that plays a recording. */
  readonly baseUrl: string
  /** Configured headers, which replace headers of the wire. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of the variables that hold the values of headers, by header. The header of an unset variable is left out. */
  readonly envHeaders?: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly network?: NetworkSettings
}

export interface RetryCounts {
  /** Limit of retries after requests without an answer. */
  readonly requestMaxRetries: number
  /** Limit of retries after answers that broke off. */
  readonly streamMaxRetries: number
}

export interface ProviderLimits extends RetryCounts {
  readonly streamIdleTimeoutMs: number
  /** Limit of the time until a connection stands. */
  readonly connectTimeoutMs?: number
  /** Limit of the time for one whole response. */
  readonly requestTimeoutMs?: number
}

/** Provider of models, built in or configured. */
export interface Provider extends KeySource, ProviderAddress, ProviderLimits {
  /** Name for people. */
  readonly name: string
  /** Model of a conversation without a model of its own. */
  readonly defaultModel?: string
  /** AI SDK package that speaks with the provider. */
  readonly package?: string
  /** Export of the package that makes the provider; found by its name when left out. */
  readonly factory?: string
  /** Path of the recording that is played in place of a model. */
  readonly recording?: string
}
