import type { CommandEnd } from '@parley/host'
import { type ConversationEvent, type ItemId, type ItemOf, type OutputWait, titleOf } from '@parley/protocol'
import { lastBytes } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeEvent, noticeItem } from '../conversation/notices.ts'
import { backgroundEnded, backgroundPrinted, endWords } from '../core/view/background-left.ts'
import { shownOutput } from '../tools/contract/command-output.ts'
import { endedCommand } from '../tools/processes/process-end.ts'

interface EndPorts {
  readonly conversation: Conversation
  readonly newItemId: () => ItemId
}

/**
 * Records how a background command ended, once its call has answered. Does nothing where the call has recorded the end
 * itself, and where the command ends with the conversation or goes on without this server: the next opening records that.
 */
export async function recordBackgroundEnd(ports: EndPorts, itemId: ItemId, end: CommandEnd): Promise<void> {
  const { conversation, newItemId } = ports
  if (end.reason === 'shutdown' || end.reason === 'left') return
  await callAnswered(conversation, itemId)
  const command = conversation.state.core.background?.[itemId]
  if (command === undefined) return
  const ended = endedCommand(itemId, end)
  const isFailed = end.reason !== 'interrupted' && end.exitCode !== 0
  const item = noticeItem(newItemId(), {
    level: isFailed ? 'warning' : 'info',
    code: backgroundEnded,
    title: `Ended in the background: ${titleOf(command.title)} · ${endWords(ended)}`,
    text: isFailed ? newestLines(end) : '',
    ended: [ended],
  })
  await recordNotice(ports, item)
}

/** Characters of a printed line that its notice shows. */
const shownLetters = 200

/**
 * Records that a background command has printed an awaited line, once its call has answered. Records nothing after its
 * end. `wait` is present for a line that a user waited for.
 */
export async function recordBackgroundPrinted(
  ports: EndPorts,
  { itemId, line, wait }: { readonly itemId: ItemId; readonly line: string; readonly wait?: OutputWait },
): Promise<void> {
  const { conversation, newItemId } = ports
  const own = ownCommand(conversation, itemId)
  if (own === null) await callAnswered(conversation, itemId)
  const command = own ?? conversation.state.core.background?.[itemId]
  if (command === undefined) return
  const item = noticeItem(newItemId(), {
    level: 'info',
    code: backgroundPrinted,
    title: `Printed in the background: ${titleOf(command.title)}`,
    text: line.trim().slice(0, shownLetters),
    // The model gets a command of the user once it has ended.
    ...(own === null ? { printed: itemId } : {}),
  })
  await recordNotice(ports, item, wait)
}

/** Returns the item of a command of the user that runs; null for any other. */
function ownCommand({ state }: Conversation, itemId: ItemId): ItemOf<'shellCommand'> | null {
  const item = state.core.open[itemId]?.item
  return item?.type === 'shellCommand' ? item : null
}

/** Records a notice, with the end of a wait in one write, so that a line is reported once. */
async function recordNotice({ conversation }: EndPorts, item: ItemOf<'notice'>, finished?: OutputWait): Promise<void> {
  await conversation.storageRetry.persist(() => {
    const { waits = [] } = conversation.state.core
    const notice = noticeEvent(conversation, item)
    const at = waits.findIndex((wait) => isSameWait(wait, finished))
    const waitEnd: ConversationEvent = { type: 'waits.changed', waits: waits.toSpliced(at, 1) }
    conversation.recordAll(at === -1 ? [notice] : [notice, waitEnd])
  })
}

function isSameWait(one: OutputWait, other: OutputWait | undefined): boolean {
  return one.itemId === other?.itemId && one.pattern === other.pattern && one.fromByte === other.fromByte
}

/** Most lines and bytes of output that the notice of a failed command shows. */
const shownLines = 5
const shownBytes = 2_000

function newestLines(end: CommandEnd): string {
  const { head, tail, binary } = shownOutput(end)
  if (binary === true) return ''
  const lines = (head + tail).trimEnd().split('\n').slice(-shownLines).join('\n')
  return lastBytes(lines, shownBytes)
}

/** Resolves when the item of a call is no longer open. */
function callAnswered(conversation: Conversation, itemId: ItemId): Promise<void> {
  const isOpen = () => conversation.state.core.open[itemId] !== undefined
  if (!isOpen()) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = conversation.feed.subscribe(() => {
      if (isOpen()) return
      unsubscribe()
      resolve()
    })
  })
}
