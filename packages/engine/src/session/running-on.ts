import type { ConversationState, ItemId, OpenItem } from '@parley/protocol'
import type { KeptCommands } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import type { CallsView } from '../core/model-view.ts'
import { runName } from '../tools/run-shell-command.ts'

/** State and view of a log. */
interface Logged {
  readonly state: ConversationState
  readonly view: { readonly calls: Pick<CallsView, 'answered'> }
}

/** Commands of a conversation that run on since its server ended, or have ended unrecorded. */
export interface RunningOn {
  /** Items of them, with the ms that they have run. */
  readonly runningOn: ReadonlyMap<ItemId, number>
  /** Names of their runs. */
  readonly names: ReadonlySet<string>
  /** Texts that were typed into them as secrets, to be hidden before their output is read. */
  readonly hidden: readonly string[]
}

/** Resolves to the commands that run on, by the log: of what else an exec-server has kept it knows nothing. */
export async function findRunning(logged: Logged, kept: Pick<KeptCommands, 'found'>): Promise<RunningOn> {
  const { open, background = {} } = logged.state.core
  const areExpected = Object.values(open).some(isFollowed) || Object.keys(background).length > 0
  const { ages, hidden } = await kept.found(areExpected)
  const runningOn = new Map<ItemId, number>()
  const names = new Set<string>()
  // The view reads the log for it, which is for nothing where nothing is kept.
  const logNames = ages.size === 0 ? new Map<ItemId, string>() : namesIn(logged, new Map(), isFollowed)
  for (const [itemId, name] of logNames) {
    const ageMs = ages.get(name)
    if (ageMs === undefined) continue
    runningOn.set(itemId, ageMs)
    names.add(name)
  }
  return { runningOn, names, hidden }
}

/**
 * Has the exec-server drop its kept output of commands, once the store has their ends. Ends commands that an earlier
 * server has started and that are not in `names`.
 */
export function keepRunning(conversation: Conversation, kept: KeptCommands, names: ReadonlySet<string>): void {
  kept.keepOnly(names)
  let running: ReadonlyMap<ItemId, string> = new Map()
  /** Names of ended runs, with the seq up to which the store has to have the log. */
  const ended = new Map<string, number>()
  conversation.feed.subscribe(() => {
    const { state } = conversation
    const now = namesIn(conversation, running, isStarted)
    const names = new Set(now.values())
    for (const name of running.values()) if (!names.has(name)) ended.set(name, state.core.seq)
    running = now
    for (const [name, seq] of ended) {
      if (conversation.feed.published < seq) continue
      ended.delete(name)
      kept.forget(name)
    }
  })
}

/** Returns the names of unfinished runs by their items; `known` has the names that were read before. */
function namesIn(
  { state, view }: Logged,
  known: ReadonlyMap<ItemId, string>,
  isRun: (open: OpenItem) => boolean,
): ReadonlyMap<ItemId, string> {
  const { open, background = {} } = state.core
  const names = new Map(Object.values(open).flatMap((one) => (isRun(one) ? [[one.item.id, runOf(one)] as const] : [])))
  for (const itemId of Object.keys(background))
    names.set(itemId, known.get(itemId) ?? runName(itemId, attemptOf(view, itemId)))
  return names
}

function isStarted({ item, executionStarted }: OpenItem): boolean {
  return executionStarted || item.type === 'shellCommand'
}

/** Tells if the run of an open item can be gone on with: a call with a secret is not known any more. */
function isFollowed({ item, executionStarted }: OpenItem): boolean {
  if (item.type === 'shellCommand') return true
  return executionStarted && item.type === 'commandExecution' && item.restorable !== false
}

function runOf({ item, failedExecution }: OpenItem): string {
  return runName(item.id, failedExecution === undefined ? 1 : 2)
}

/** Returns the run of a command that was sent to the background, which may be its second. */
function attemptOf(view: Logged['view'], itemId: ItemId): 1 | 2 {
  const item = view.calls.answered(itemId)
  return item?.type === 'commandExecution' && item.attempt === 2 ? 2 : 1
}
