import type { ConversationState, MessageId, QueuedMessage } from '@parley/protocol'
import { inputText } from '../../ui/inbox.ts'
import { actorName } from '../../ui/other-clients.ts'
import type { UiState } from '../../ui/ui-state.ts'
import { stripEffects } from '../text/control-characters.ts'
import { count } from '../text/formats.ts'
import { beside, indented } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'
import { truncateLine } from '../text/truncate.ts'

const shown = 3

/** Returns the messages that are not yet part of the conversation, oldest first. */
export function waitingRows(state: ConversationState | null, ui: UiState, room: Room): readonly Line[] {
  const inbox = state?.core.inbox ?? []
  const edited = ui.purpose.kind === 'edit' ? ui.purpose.messageId : null
  const known = new Set(inbox.map(({ messageId }) => messageId))
  const rows = [
    ...inbox
      .filter(({ messageId }) => messageId !== edited)
      .map((message) => row(messageWords(message, ui), inputText(message.content), room)),
    ...ui.unsent
      .filter(({ messageId }) => !known.has(messageId) && !isTaken(state, messageId))
      .map(({ text }) => row('not sent yet', text, room)),
  ]
  if (rows.length <= shown + 1) return rows
  return [...indented([[{ text: `… ${count(rows.length - shown)} more wait`, tone: 'muted' }]]), ...rows.slice(-shown)]
}

/** Returns true if the message's item is already here, before its acknowledgement. */
function isTaken(state: ConversationState | null, messageId: MessageId): boolean {
  return state?.window.some(({ item }) => item.type === 'userMessage' && item.messageId === messageId) ?? false
}

function messageWords({ when, by }: QueuedMessage, { ownClients }: UiState): string {
  const place = when === 'steer' ? 'next step' : 'next turn'
  return ownClients.includes(by.clientId) ? place : `${place}, from ${actorName(by)}`
}

function row(when: string, text: string, room: Room): Line {
  const line: Line = [
    { text: `${when}: `, tone: 'muted' },
    { text: stripEffects(text).replaceAll('\n', ' '), italic: true },
  ]
  return indented([truncateLine(line, beside(room))])[0] ?? []
}
