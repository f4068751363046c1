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
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import { type CommandSurroundings, limitsOfCommand, sandboxFor } from './command-limits.ts'
import { createScratch } from './scratch.ts'

/** Enforcement of one conversation's limits: the weakest its environment has ever reported. */
export interface ConversationLimits extends AsyncDisposable {
  /** Sentence for people about the enforcement; null before the environment has reported it. */
  readonly reason: string | null
  /** Home folder of the user where commands run on this machine; null on another one. */
  readonly localHome: string | null
  /** See `Environment`. */
  readonly standingOf: Environment['standingOf']
  enforcementFor(mode: SandboxMode): Enforcement
  /** Reads the environment's report. Resolves without one while the environment is unreachable. */
  readReport(): Promise<void>
  /** Records the known enforcement where the settings have another one, with a notice if it has become weaker. */
  recordEnforcement(): void
  /** Probes the sandbox again after one could not be set up, and records the result. */
  recheck(): Promise<void>
  /** Resolves to sandbox limits; null for all rights of the user. Rejects where no sandbox can enforce them. */
  describe(limits: RunLimits): Promise<SandboxLimits | null>
  /**
   * Prepares the sandbox right before a command starts. Rejects with a sentence when the command must not run, as when
   * the sandbox has become weaker since the decision.
   */
  prepare(limits: SandboxLimits): Promise<Sandbox>
}

interface OpenLimits {
  readonly limits: ConversationLimits
  readonly background: BackgroundProcesses
}

interface LimitsPorts {
  readonly conversation: Conversation
  readonly place: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Folder for the /tmp of its commands. */
  readonly folder: string
  readonly ids: Pick<Ids, 'item'>
  readonly onFault: (fault: unknown) => void
}

/** Opens the limits of a conversation's commands, and its background processes, which share one /tmp. */
export function openLimits(ports: LimitsPorts): OpenLimits {
  const { conversation, place, home, folder, ids, onFault } = ports
  const background = createBackgroundProcesses({
    runCommand: place.commands.runCommand,
    onEnd: (_id, { spawnError }) => {
      if (spawnError?.subject === 'sandbox') void limits.recheck().catch(onFault)
    },
  })
  const isInUse = () => background.list().some(({ end }) => end === null)
  const onEmptied = () =>
    unlessStorageFails(() => conversation.record({ type: 'item.completed', item: emptiedNotice(ids.item()) }))
  const scratch = createScratch({ folder, isInUse, onEmptied })
  const onExchanged = (title: string) =>
    unlessStorageFails(() =>
      conversation.record({
        type: 'item.completed',
        item: noticeItem(ids.item(), { level: 'warning', code: 'guardExchanged', title }),
      }),
    )
  const limits = createConversationLimits({ conversation, place, home, scratch, onExchanged, newItemId: ids.item })
  return { limits, background }
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

  function recordEnforcement(): void {
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
    standingOf: place.standingOf,
    enforcementFor,
    async readReport() {
      try {
        await place.reach()
        learn(await place.sandboxes.report())
      } catch (error) {
        if (!(error instanceof EnvironmentUnreachableError)) throw error
      }
    },
    recordEnforcement,
    async recheck() {
      learn(await place.sandboxes.recheck())
      recordEnforcement()
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

function emptiedNotice(id: string): ItemOf<'notice'> {
  const title = 'The /tmp of the sandbox had grown over 1 GiB and was emptied.'
  return noticeItem(id, { level: 'info', code: 'scratchEmptied', title })
}

/** Returns the notice that the sandbox has become weaker. */
function weakerNotice(id: string, { enforcement, reason }: SandboxReport): ItemOf<'notice'> {
  const title = `${enforcement === 'partial' ? partialText : noneText} ${reason}`
  return noticeItem(id, { level: 'warning', code: 'sandboxWeaker', title })
}

const partialText = 'The sandbox is only partial now: what is not known to be harmless asks first.'
const noneText = 'There is no sandbox now: what is not known to be harmless asks first.'
