import { isWeaker, type Sandbox, type SandboxLimits, type SandboxReport } from '@parley/host'
import type { ItemOf, RunLimits, SandboxMode, SandboxTier } from '@parley/protocol'
import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import { type CommandSurroundings, limitsOfCommand, sandboxFor } from './command-limits.ts'
import { weakerNotice } from './weaker-notice.ts'

/** What enforces the limits of one conversation: as good as its place allows, and never better than it once was. */
export interface ConversationLimits extends AsyncDisposable {
  /** One sentence for people about the tier; null until its place has been asked. */
  readonly reason: string | null
  /** The user's home folder where commands run on this machine, else null. */
  readonly localHome: string | null
  /** See `Place`. */
  readonly guardOf: Environment['guardOf']
  tierFor(mode: SandboxMode): SandboxTier
  /** Asks the place, as long as it can be asked. */
  look(): Promise<void>
  /** Brings the recorded tier in line with what is known. */
  settle(): void
  /** A sandbox could not be set up: tries whether any can, and records it where that has become worse. */
  doubt(): Promise<void>
  /** What commands may do under these limits; null: all that the user may. Rejects with a sentence for what no sandbox can do. */
  describe(limits: RunLimits): Promise<SandboxLimits | null>
  /**
   * Puts limits around one command; right before its start. Rejects with a sentence: it must not run then, as where
   * less enforces them by now than when it was decided.
   */
  prepare(limits: SandboxLimits): Promise<Sandbox>
}

interface LimitsParts extends CommandSurroundings {
  readonly newItemId: () => string
}

export function createConversationLimits(parts: LimitsParts): ConversationLimits {
  const { conversation, place, scratch, newItemId } = parts
  let known: SandboxReport | null = null

  function learn(report: SandboxReport): void {
    if (known === null || isWeaker(report.tier, known.tier)) known = report
  }

  function tierFor(mode: SandboxMode): SandboxTier {
    if (mode === 'danger-full-access') return 'D'
    return known?.tier ?? 'C'
  }

  function settle(): void {
    const { settings } = conversation.state.core
    const tier = tierFor(settings.sandbox)
    if (known === null || conversation.readOnly || tier === settings.tier) return
    if (!conversation.started) {
      conversation.redraft({ tier })
      return
    }
    const isWorse = settings.tier !== 'D' && isWeaker(tier, settings.tier)
    const notice: ItemOf<'notice'> | null = isWorse ? weakerNotice(newItemId(), known) : null
    const turnId = conversation.state.core.turn?.id
    conversation.recordAll([
      { type: 'conversation.configured', settings: { tier } },
      ...(notice === null
        ? []
        : [{ type: 'item.completed' as const, item: notice, ...(turnId === undefined ? {} : { turnId }) }]),
    ])
  }

  return {
    get reason() {
      return known?.reason ?? null
    },
    localHome: place.name === null ? place.home : null,
    guardOf: place.guardOf,
    tierFor,
    async look() {
      try {
        await place.reach()
        learn(await place.sandboxes.report())
      } catch (error) {
        if (!(error instanceof EnvironmentUnreachableError)) throw error
      }
    },
    settle,
    async doubt() {
      learn(await place.sandboxes.recheck())
      settle()
    },
    describe: (limits) => limitsOfCommand(parts, limits),
    async prepare(limits) {
      const { tier } = conversation.state.core.settings
      const sandbox = await sandboxFor(parts, limits)
      learn(await place.sandboxes.report())
      if (known === null || !isWeaker(known.tier, tier)) return sandbox
      sandbox.release?.()
      throw new Error(`It is weaker than when this was decided. ${known.reason}`)
    },
    [Symbol.asyncDispose]: () => scratch.remove(),
  }
}
