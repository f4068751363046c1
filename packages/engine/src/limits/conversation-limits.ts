import {
  createBackgroundProcesses,
  type Exchanged,
  isWeaker,
  type Loopback,
  type Sandbox,
  type SandboxLimits,
  type SandboxReport,
} from '@parley/host'
import {
  type Enforcement,
  type ItemId,
  type ItemOf,
  type OutputWait,
  type RunLimits,
  type SandboxMode,
  type Settings,
  settingsInForce,
} from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeEvent, noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import { createForwards } from '../forward/forwards.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import { recordBackgroundEnd, recordBackgroundPrinted } from './background-end.ts'
import { limitsOfCommand } from './command-limits.ts'
import { createLoopbacks, type Loopbacks } from './loopbacks.ts'
import { exceeds, type RunningCall, stopBeyondLimits } from './narrowed-limits.ts'
import { createScratch, type Scratch } from './scratch.ts'
import { workspaceOf } from './workspace-folders.ts'

/** Enforcement of one conversation's limits: the weakest its environment has ever reported. */
export interface ConversationLimits extends AsyncDisposable {
  /** Sentence for people about the enforcement; null before the environment has reported it. */
  readonly reason: string | null
  /** Home folder of the user where commands run on this machine; null on another one. */
  readonly localHome: string | null
  readonly standingOf: Environment['standingOf']
  enforcementFor(mode: SandboxMode): Enforcement
  /** Reads the environment's report. Resolves without one while the environment is unreachable. */
  readReport(): Promise<void>
  /** Records the known enforcement where the settings have another one, with a notice if it has become weaker. */
  recordEnforcement(): void
  /** Stops commands that have more rights than the settings, if these were wider before. */
  narrowed(before: Settings): void
  /**
   * Calls `stop` when the settings get narrower than the limits of a running call, at once where they have become so
   * `since`. Limits that are not known are beyond any that became narrower. Returns a function that ends that.
   */
  whenNarrowed(limits: RunLimits | null, stop: () => void, since?: Settings): () => void
  /** Probes the sandbox again after one could not be set up, and records the result. */
  recheck(): Promise<void>
  /** Resolves to sandbox limits; null for all rights of the user. Rejects where no sandbox can enforce them. */
  describe(limits: RunLimits): Promise<SandboxLimits | null>
  /**
   * Prepares the sandbox right before a command starts. Rejects with a sentence when the command must not run, as when
   * the sandbox has become weaker since the decision. Commands with a `shared` loopback reach each other's servers.
   */
  prepare(limits: SandboxLimits, loopback: 'shared' | 'own'): Promise<Sandbox>
}

interface LimitsPorts {
  readonly conversation: Conversation
  readonly environment: Environment
  readonly home: string
  /** Folder for the /tmp of its commands. */
  readonly folder: string
  readonly ids: Pick<Ids, 'item'>
  readonly onFault: (fault: unknown) => void
}

/** Opens the limits of a conversation's commands, and its background processes, which share one /tmp. */
export function openLimits(ports: LimitsPorts) {
  const { conversation, environment, home, folder, ids, onFault } = ports
  const background = createBackgroundProcesses({
    runCommand: environment.commands.runCommand,
    onEnd(itemId, end) {
      if (end.spawnError?.subject === 'sandbox') void limits.recheck().catch(onFault)
      recordBackgroundEnd({ conversation, newItemId: ids.item }, itemId, end).catch(onFault)
    },
  })
  const isInUse = () => background.list().some(({ end }) => end === null)
  const recordNotice = (level: 'info' | 'warning', code: string, title: string) =>
    unlessStorageFails(() =>
      conversation.record({ type: 'item.completed', item: noticeItem(ids.item(), { level, code, title }) }),
    )
  const onEmptied = () => recordNotice('info', 'scratchEmptied', emptiedText)
  const loopbacks = createLoopbacks(environment.sandboxes, conversation.id)
  const scratch = createScratch({ folder, isInUse, onEmptied })
  const calls = new Set<RunningCall>()
  const limits = createConversationLimits({
    conversation,
    environment,
    home,
    scratch,
    loopbacks,
    onExceeded: () => recordNotice('warning', 'scratchExceeded', exceededText),
    onExchanged: (title) => recordNotice('warning', 'guardExchanged', title),
    newItemId: ids.item,
    narrowed: (before) => stopBeyondLimits({ conversation, calls, background, newItemId: ids.item, onFault }, before),
    whenNarrowed(limits, stop, since) {
      const { settings } = conversation.state.core
      const call = { rights: limits === null ? ('unknown' as const) : rightsOf(limits, since ?? settings), stop }
      calls.add(call)
      if (since !== undefined && exceeds(call.rights, settings, since)) stop()
      return () => void calls.delete(call)
    },
  })
  /** Records that a background command has printed an awaited line, once its call has answered. */
  const tellPrinted = (itemId: ItemId, line: string, wait?: OutputWait) => {
    const printed = { itemId, line, ...(wait === undefined ? {} : { wait }) }
    void recordBackgroundPrinted({ conversation, newItemId: ids.item }, printed).catch(onFault)
  }
  return { limits, background, tellPrinted, forwards: createForwards({ conversation, connect: loopbacks.connect }) }
}

function rightsOf({ sandbox: mode, network }: RunLimits, { unixSockets = false }: Settings): RunningCall['rights'] {
  return mode === 'none' || mode === 'danger-full-access' ? null : { mode, network, unixSockets }
}

function createConversationLimits(
  parts: CommandSurroundings & Pick<ConversationLimits, 'narrowed' | 'whenNarrowed'>,
): ConversationLimits {
  const { conversation, environment, home, scratch, loopbacks, newItemId, narrowed, whenNarrowed } = parts
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
      conversation.redraft({ settings: { enforcement } })
      return
    }
    const isWorse = settings.sandbox !== 'danger-full-access' && isWeaker(enforcement, settings.enforcement)
    const notice = isWorse ? [noticeEvent(conversation, weakerNotice(newItemId(), known, settings))] : []
    conversation.recordAll([{ type: 'conversation.configured', settings: { enforcement } }, ...notice])
  }

  return {
    get reason() {
      return known?.reason ?? null
    },
    localHome: environment.name === null ? environment.home : null,
    standingOf: environment.standingOf,
    enforcementFor,
    async readReport() {
      try {
        await environment.reach()
        learn(await environment.sandboxes.report())
      } catch (error) {
        if (!(error instanceof EnvironmentUnreachableError)) throw error
      }
    },
    recordEnforcement,
    narrowed,
    whenNarrowed,
    async recheck() {
      learn(await environment.sandboxes.recheck())
      recordEnforcement()
    },
    describe: (limits) =>
      limitsOfCommand(
        {
          environment,
          home,
          folders: workspaceOf(conversation.state).roots,
          unixSockets: conversation.state.core.settings.unixSockets === true,
          scratch: scratch.ready,
        },
        limits,
      ),
    async prepare(limits, loopback) {
      const { enforcement } = settingsInForce(conversation.state.core)
      const sandbox = await sandboxFor(parts, limits, loopback === 'own' ? null : await loopbacks.sharedBy(limits))
      learn(await environment.sandboxes.report())
      if (known === null || !isWeaker(known.enforcement, enforcement)) return sandbox
      sandbox.release?.()
      throw new Error(`It is weaker than when this was decided. ${known.reason}`)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([scratch.remove(), loopbacks.close()])
    },
  }
}

const emptiedText = 'The /tmp of the sandbox had grown over 1 GiB and was emptied.'
const exceededText = 'A command was stopped: the /tmp of the sandbox had grown over 4 GiB, or 500,000 files.'

function weakerNotice(
  id: ItemId,
  { enforcement, reason }: SandboxReport,
  { approvalPolicy }: Pick<Settings, 'approvalPolicy'>,
): ItemOf<'notice'> {
  const rest = `what is not known to be harmless ${approvalPolicy === 'never' ? 'is denied' : 'asks first'}.`
  const title = `${enforcement === 'partial' ? partialText : noneText} ${rest} ${reason}`
  return noticeItem(id, { level: 'warning', code: 'sandboxWeaker', title })
}

const partialText = 'The sandbox is only partial now:'
const noneText = 'There is no sandbox now:'

/** Everything the limits of a conversation's commands depend on. */
interface CommandSurroundings {
  readonly conversation: Conversation
  readonly environment: Environment
  readonly home: string
  readonly scratch: Scratch
  readonly loopbacks: Loopbacks
  readonly newItemId: () => ItemId
  /** Called when a running command has used up the room for temporary files. */
  readonly onExceeded: () => void
  /** Called with a sentence about a guarded path that was exchanged while a command ran. */
  readonly onExchanged: (sentence: string) => void
}

/** Prepares the sandbox for one command. Releasing it measures the /tmp anew. */
async function sandboxFor(
  { environment, scratch, onExceeded, onExchanged }: CommandSurroundings,
  limits: SandboxLimits,
  loopback: Loopback | null,
): Promise<Sandbox> {
  const sandbox = await environment.sandboxes.prepare(limits, loopback)
  const exceeded = new AbortController()
  const stopOnExcess = () => {
    onExceeded()
    exceeded.abort()
  }
  const tell = (exchanged: readonly Exchanged[]) => {
    for (const { text } of exchanged) onExchanged(text)
  }
  const endWatch = limits.scratch === null ? null : scratch.watch(stopOnExcess)
  return {
    limits: sandbox.limits,
    ...withoutUndefined({ sharesLoopback: sandbox.sharesLoopback, loopback: sandbox.loopback }),
    exceeded: exceeded.signal,
    wrap: (command) => sandbox.wrap(command),
    tell,
    release() {
      endWatch?.()
      const exchanged = sandbox.release?.() ?? []
      tell(exchanged)
      scratch.measure()
      return exchanged
    },
  }
}
