import { isWeaker, type Sandbox, type SandboxLimits, type SandboxReport } from '@parley/host'
import type { Enforcement, ItemOf, RunLimits, SandboxMode } from '@parley/protocol'
import { type Place, PlaceUnreachable } from '@parley/workspace'
import { type CommandSurroundings, limitsOfCommand, sandboxFor } from './command-limits.ts'
import { weakerNotice } from './weaker-notice.ts'

/** What enforces the limits of one conversation: as good as its place allows, and never better than it once was. */
export interface ConversationLimits extends AsyncDisposable {
  /** One sentence for people about what enforces the limits; null until its place has been asked. */
  readonly reason: string | null
  /** The user's home folder where commands run on this machine, else null. */
  readonly localHome: string | null
  /** See `Place`. */
  readonly guardOf: Place['guardOf']
  enforcementFor(mode: SandboxMode): Enforcement
  /** Asks the place, as long as it can be asked. */
  look(): Promise<void>
  /** Brings the recorded enforcement in line with what is known. */
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
    if (known === null || isWeaker(report.enforcement, known.enforcement)) known = report
  }

  function enforcementFor(mode: SandboxMode): Enforcement {
    if (mode === 'danger-full-access') return 'none'
    return known?.enforcement ?? 'none'
  }

  function settle(): void {
    const { settings } = conversation.state.core
    const enforcement = enforcementFor(settings.sandbox)
    if (known === null || conversation.readOnly || enforcement === settings.enforcement) return
    if (!conversation.started) {
      conversation.redraft({ enforcement })
      return
    }
    const isWorse = settings.sandbox !== 'danger-full-access' && isWeaker(enforcement, settings.enforcement)
    const notice: ItemOf<'notice'> | null = isWorse ? weakerNotice(newItemId(), known) : null
    const turnId = conversation.state.core.turn?.id
    conversation.recordAll([
      { type: 'conversation.configured', settings: { enforcement } },
      ...(notice === null
        ? []
        : [{ type: 'item.completed' as const, item: notice, ...(turnId === undefined ? {} : { turnId }) }]),
    ])
  }

  return {
    get reason() {
      return known?.reason ?? null
    },
    localHome: place.environment === null ? place.home : null,
    guardOf: place.guardOf,
    enforcementFor,
    async look() {
      try {
        await place.reach()
        learn(await place.sandboxes.report())
      } catch (error) {
        if (!(error instanceof PlaceUnreachable)) throw error
      }
    },
    settle,
    async doubt() {
      learn(await place.sandboxes.recheck())
      settle()
    },
    describe: (limits) => limitsOfCommand(parts, limits),
    async prepare(limits) {
      const { enforcement } = conversation.state.core.settings
      const sandbox = await sandboxFor(parts, limits)
      learn(await place.sandboxes.report())
      if (known === null || !isWeaker(known.enforcement, enforcement)) return sandbox
      sandbox.release?.()
      throw new Error(`It is weaker than when this was decided. ${known.reason}`)
    },
    [Symbol.asyncDispose]: () => scratch.remove(),
  }
}
