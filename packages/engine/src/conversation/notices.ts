import type { Actor, EventOf, ItemId, ItemOf, ServerNotice } from '@parley/protocol'
import { secondsText } from '@parley/text'
import type { LinkChange } from '@parley/workspace'
import type { Conversation } from './conversation.ts'
import { unlessStorageFails } from './storage-retry.ts'

type Notice = ItemOf<'notice'>
type NoticeText = Pick<Notice, 'level' | 'code' | 'title' | 'ended' | 'printed' | 'typed' | 'by' | 'why' | 'rule'> & {
  readonly text?: string
}

export function noticeItem(id: ItemId, { text = '', ...shown }: NoticeText): Notice {
  return { id, type: 'notice', status: 'completed', ...shown, text }
}

/** Returns the event that records a notice in the open turn, or outside of turns. */
export function noticeEvent({ state }: Pick<Conversation, 'state'>, item: Notice): EventOf<'item.completed'> {
  const { turn } = state.core
  return { type: 'item.completed', item, ...(turn === null ? {} : { turnId: turn.id }) }
}

/** Actor recorded for changes the server makes itself. */
export const parleyItself: Actor = { clientId: 'server', name: 'parley' }

interface LinkNoticePorts {
  readonly conversation: Conversation
  readonly notify: (notice: ServerNotice) => void
  readonly newItemId: () => ItemId
  /** Tells if work of this conversation runs in the environment. */
  readonly isBusy: () => boolean
}

/**
 * Reports a change of the link: in the transcript while work depends on it, otherwise to connected clients. Never both,
 * since a screen shows both.
 */
export function linkNotice(change: LinkChange, { conversation, notify, newItemId, isBusy }: LinkNoticePorts): void {
  const { meta, settings } = conversation.state.core
  const { level, message } = described(change, settings.environment ?? '')
  if (!isBusy() || conversation.readOnly) {
    notify({ level, code: 'link', message, conversationId: meta.conversationId })
    return
  }
  const item = noticeItem(newItemId(), { level, code: 'link', title: message })
  unlessStorageFails(() => conversation.record(noticeEvent(conversation, item)))
}

function described(change: LinkChange, name: string): Pick<ServerNotice, 'level' | 'message'> {
  const link = `The link to environment ${name}`
  switch (change.state) {
    case 'away':
      return { level: 'warning', message: `${link} is lost (${change.reason}). It is being tried again.` }
    case 'back':
      return { level: 'info', message: `${link} is back after ${secondsText(change.afterMs)}.` }
    case 'gone':
      return { level: 'error', message: `${link} is gone: ${change.reason}.${fateOf(change.lostProcesses)}` }
  }
}

function fateOf(count: number): string {
  if (count === 0) return ''
  return count === 1 ? ' How the command there ended is unknown.' : ` How ${count} commands there ended is unknown.`
}
