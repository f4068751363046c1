import {
  type ChangedPath,
  type ConversationEvent,
  type EventOf,
  type FileChangeEntry,
  type Item,
  isCall,
} from '@parley/protocol'
import { type CallChange, type PatchView, readChanges } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import type { SideFiles } from '../conversation/side-files.ts'
import { linesAfter } from '../read/read-conversation.ts'

/** Files that calls and rewinds changed after a point of the log. */
export interface ChangesSince {
  /** In the order of the log. */
  readonly changes: readonly CallChange[]
  /** Titles of calls with an unknown end, and so with unknown changes. */
  readonly unknown: readonly string[]
}

/** Types of the events that are read; no other line is parsed. */
const readTypes: ReadonlySet<string> = new Set(['files.changed', 'execution.started', 'item.completed'])

/** Reads what changed after an event, from memory or from disk. */
export async function changesSince(conversation: Conversation, seq: number, files: PatchView): Promise<ChangesSince> {
  const changes: CallChange[] = []
  const unknown: string[] = []
  const planned = new Map<string, readonly FileChangeEntry[]>()
  const take = (found: readonly CallChange[]) => {
    for (const change of found) changes.push(change)
  }
  for await (const event of eventsAfter(conversation, seq)) {
    if (event.type === 'execution.started') planned.set(event.itemId, event.changes ?? [])
    else if (event.type === 'files.changed') {
      planned.delete(event.itemId)
      take(changedFiles(event, conversation.sideFiles))
    } else if (event.type === 'item.completed' && mayHaveChanged(event.item)) {
      const { id, title, type, status } = event.item
      const written = await writtenBy(planned.get(id) ?? [], conversation, files)
      take(status === 'unknown' ? written.map((one) => ({ ...one, isUnsure: true as const })) : written)
      if (status === 'unknown' && type !== 'fileChange') unknown.push(title)
    }
  }
  return { changes, unknown }
}

function mayHaveChanged(item: Item): boolean {
  return isCall(item) && (item.status === 'completed' || item.status === 'unknown')
}

async function* eventsAfter(conversation: Conversation, seq: number): AsyncGenerator<ConversationEvent> {
  for await (const lines of linesAfter(conversation, seq))
    for (const line of lines) if (line.seq > seq && readTypes.has(line.type)) yield eventOf(line.text)
}

function eventOf(text: string): ConversationEvent {
  const { event }: { readonly event: ConversationEvent } = JSON.parse(text)
  return event
}

/** Returns the files that an event names, in it or in a side file. */
function changedFiles(
  { files, list }: EventOf<'files.changed'>,
  sideFiles: Pick<SideFiles, 'readText'>,
): readonly ChangedPath[] {
  const text = list === undefined ? null : sideFiles.readText(list)
  if (text === null) return files
  const all: readonly ChangedPath[] = JSON.parse(text)
  return all
}

/**
 * Returns the changes of a patch by its plan, when the result was not looked at: a killed server had no time for it.
 */
async function writtenBy(
  entries: readonly FileChangeEntry[],
  { state }: Conversation,
  files: PatchView,
): Promise<readonly ChangedPath[]> {
  const found = await readChanges(entries, state.core.meta.cwd, files)
  return found.flatMap(({ path, movedTo, beforeHash, afterHash }, index): ChangedPath[] => {
    const link = entries[index]?.link === true ? { link: true as const } : {}
    const before = beforeHash === null ? null : { hash: beforeHash, ...link }
    const after = afterHash === null ? null : { hash: afterHash }
    if (movedTo === undefined) return [{ path, before, after }]
    return [
      { path, before, after: null },
      { path: movedTo, before: null, after },
    ]
  })
}
