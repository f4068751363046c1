import type { Overrides, Settings } from '@parley/protocol'
import { isStricterSandbox } from '../../config/strictness.ts'
import { assertUnderCeiling, type Ceiling } from '../../engine/ceiling.ts'
import { choicesIn } from '../../engine/choices.ts'
import { refusal } from '../../engine/refusal.ts'
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
      const { what, flag } = more
      throw refusal(
        'aboveCeiling',
        `That conversation has ${what}, and this server was not started for that. Whoever starts it can allow it: parley mcp-server ${flag}.`,
        { flag: flag.split(' ')[0] ?? flag },
      )
    },
  }
}

const fullAccess = '--max-sandbox danger-full-access'

/** The first thing that it has more of; null where there is none. */
function beyond(settings: Settings, ceiling: Ceiling): { readonly what: string; readonly flag: string } | null {
  const { sandbox, approvalPolicy, network, unixSockets } = settings
  if (isStricterSandbox(ceiling.sandbox, sandbox))
    return { what: sandbox, flag: sandbox === 'workspace-write' ? `--max-sandbox ${sandbox}` : fullAccess }
  if (sandbox === 'danger-full-access')
    return approvalPolicy === 'never' && !ceiling.neverWithFullAccess
      ? { what: 'full access with nobody asked', flag: `--allow-never ${fullAccess}` }
      : null
  if (ceiling.sandbox === 'danger-full-access') return null
  if (network === true && !ceiling.network) return { what: 'network for its commands', flag: fullAccess }
  return unixSockets === true && !ceiling.unixSockets
    ? { what: 'local sockets for its commands', flag: fullAccess }
    : null
}
