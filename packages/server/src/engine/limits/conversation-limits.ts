import {
  type BackgroundProcesses,
  createBackgroundProcesses,
  isWeaker,
  type Sandbox,
  type SandboxLimits,
  type SandboxReport,
} from '@parley/host'
import type { Enforcement, ItemOf, RunLimits, SandboxMode } from '@parley/protocol'
import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import type { Ids } from '../../ports/ids.ts'
import type { Conversation } from '../conversation.ts'
import { noticeItem } from '../notice-item.ts'
import { unlessStorageFails } from '../storage-patience.ts'
import { type CommandSurroundings, limitsOfCommand, sandboxFor } from './command-limits.ts'
import { createScratch } from './scratch.ts'

interface OpenLimits {
  readonly limits: ConversationLimits
  readonly background: BackgroundProcesses
}

interface LimitsPorts {
  readonly conversation: Conversation
  readonly place: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Where its /tmp is. */
  readonly folder: string
  readonly ids: Pick<Ids, 'item'>
  readonly onFault: (fault: unknown) => void
}

/** The limits of a conversation's commands, and those in the background, which use the same /tmp. */
export function openLimits(ports: LimitsPorts): OpenLimits {
  const { conversation, place, folder, ids, onFault } = ports
  const background = createBackgroundProcesses({
    runCommand: place.commands.runCommand,
    onEnd: (_id, { spawnError }) => {
      if (spawnError?.subject === 'sandbox') void limits.doubt().catch(onFault)
    },
  })
  const isInUse = () => background.list().some(({ end }) => end === null)
  const onEmptied = () =>
    unlessStorageFails(() => conversation.record({ type: 'item.completed', item: emptied(ids.item()) }))
  const scratch = createScratch({ folder, isInUse, onEmptied })
  const limits = createConversationLimits({ ...ports, scratch, newItemId: ids.item })
  return { limits, background }
}

function emptied(id: string): ItemOf<'notice'> {
  const title = 'The /tmp of the sandbox had grown over 1 GiB and was emptied.'
  return noticeItem(id, { level: 'info', code: 'scratchEmptied', title })
}

/** What enforces the limits of one conversation: as good as its place allows, and never better than it once was. */
export interface ConversationLimits extends AsyncDisposable {
  /** One sentence for people about what enforces the limits; null until its place has been asked. */
  readonly reason: string | null
  /** The user's home folder where commands run on this machine, else null. */
  readonly localHome: string | null
  /** See `Place`. */
  readonly guardOf: Environment['guardOf']
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

function createConversationLimits(parts: LimitsParts): ConversationLimits {
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
    localHome: place.name === null ? place.home : null,
    guardOf: place.guardOf,
    enforcementFor,
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

/** Said in the transcript when less enforces the limits than before. */
function weakerNotice(id: string, { enforcement, reason }: SandboxReport): ItemOf<'notice'> {
  const title = `${enforcement === 'partial' ? partial : none} ${reason}`
  return noticeItem(id, { level: 'warning', code: 'sandboxWeaker', title })
}

const partial = 'The sandbox is only partial now: what is not known to be harmless asks first.'
const none = 'There is no sandbox now: what is not known to be harmless asks first.'
