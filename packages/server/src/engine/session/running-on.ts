import type { ConversationState, ItemId, OpenItem } from '@parley/protocol'
import type { KeptCommands } from '@parley/workspace'
import { runName } from '../../tools/run-shell-command.ts'
import type { Conversation } from '../conversation/conversation.ts'

/**
 * Resolves to the commands of a conversation that run on since its server ended, or have ended unrecorded, with the ms
 * that they have run. What else the exec-server has kept is ended: the log knows nothing of it.
 */
export async function findRunning(
  { core }: ConversationState,
  kept: KeptCommands,
): Promise<ReadonlyMap<ItemId, number>> {
  const found = new Map(await kept.found())
  const running = new Map<ItemId, number>()
  for (const open of Object.values(core.open)) {
    const { item, executionStarted } = open
    const name = runOf(open)
    const ageMs = found.get(name)
    const isFollowed = executionStarted && item.type === 'commandExecution' && item.restorable !== false
    if (ageMs === undefined || !isFollowed) continue
    running.set(item.id, ageMs)
    found.delete(name)
  }
  for (const name of found.keys()) kept.end(name)
  return running
}

/** Has the exec-server drop what it keeps of commands, once the store has their ends. */
export function forgetEnded(conversation: Conversation, kept: KeptCommands): void {
  let running: ReadonlySet<string> = new Set()
  /** Names of ended runs, with the seq up to which the store has to have the log. */
  const ended = new Map<string, number>()
  conversation.feed.subscribe(() => {
    const { core } = conversation.state
    const now = runNames(core)
    for (const name of running) if (!now.has(name)) ended.set(name, core.seq)
    running = now
    for (const [name, seq] of ended) {
      if (conversation.feed.published < seq) continue
      ended.delete(name)
      kept.forget(name)
    }
  })
}

/** Returns the names of the runs that are not over. */
function runNames({ open, background = {} }: ConversationState['core']): ReadonlySet<string> {
  const started = Object.values(open).filter(
    ({ item, executionStarted }) => executionStarted || item.type === 'shellCommand',
  )
  return new Set([...started.map(runOf), ...Object.keys(background)])
}

function runOf({ item, failedExecution }: OpenItem): string {
  return runName(item.id, failedExecution === undefined ? 1 : 2)
}
