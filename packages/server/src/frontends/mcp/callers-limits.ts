import { isStricterSandbox } from '@parley/config'
import type { Overrides, Settings } from '@parley/protocol'
import { assertUnderCeiling, type Ceiling } from '../../engine/limits/ceiling.ts'
import { rejection } from '../../engine/replies/rejection.ts'
import { choicesIn } from '../../engine/settings/read-config.ts'
import { assertCallersConfig } from './callers-config.ts'

/** What an MCP client may ask for and work on. All of it throws `aboveCeiling`. */
export interface CallersLimits {
  /** For a new conversation, whose mode the engine of this process sees to. */
  assertConfig(config: Overrides['config']): void
  /** For one that is there: it may be live in a process with a ceiling of its own, which would grant more. */
  assertWish(wish: Overrides, now: Settings): void
  /** A message to a conversation that may do more than this server allows would be a way around its ceiling. */
  assertReachable(settings: Settings): void
}

interface LimitsParts {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly ceiling: () => Ceiling
  /** The server was started for full access by its flag: callers may set everything. */
  readonly isUnlimited: boolean
}

export function callersLimits({ home, ceiling, isUnlimited }: LimitsParts): CallersLimits {
  const assertConfig: CallersLimits['assertConfig'] = (config) =>
    isUnlimited ? undefined : assertCallersConfig(config)
  return {
    assertConfig,
    assertWish(wish, now) {
      assertConfig(wish.config)
      assertUnderCeiling({ ...choicesIn(wish, home), ...wish }, now, ceiling)
    },
    assertReachable(settings) {
      const more = beyond(settings, ceiling())
      if (more === null) return
      const { what, flags, key } = more
      const ways = [...(key === undefined ? [] : [`${key} = true in your config.toml`]), `parley mcp-server ${flags}`]
      throw rejection(
        'aboveCeiling',
        `That conversation has ${what}, and this server was not started for that. Whoever starts it can allow it: ${ways.join(', or ')}.`,
        { flag: flags.split(' ')[0] ?? flags },
      )
    },
  }
}

const fullAccess = '--max-sandbox danger-full-access'

interface More {
  readonly what: string
  /** That would allow it. */
  readonly flags: string
  /** Of the configuration, that would as well. */
  readonly key?: string
}

/** The first thing that it has more of; null where there is none. */
function beyond(settings: Settings, ceiling: Ceiling): More | null {
  const { sandbox, approvalPolicy, network, unixSockets } = settings
  if (isStricterSandbox(ceiling.sandbox, sandbox)) return { what: sandbox, flags: `--max-sandbox ${sandbox}` }
  if (sandbox === 'danger-full-access')
    return approvalPolicy === 'never' && !ceiling.neverWithFullAccess
      ? { what: 'full access with nobody asked', flags: `--allow-never ${fullAccess}` }
      : null
  if (ceiling.sandbox === 'danger-full-access') return null
  const section = 'sandbox_workspace_write'
  if (network === true && !ceiling.network)
    return { what: 'network for its commands', flags: fullAccess, key: `${section}.network_access` }
  return unixSockets === true && !ceiling.unixSockets
    ? { what: 'local sockets for its commands', flags: fullAccess, key: `${section}.allow_unix_sockets` }
    : null
}
