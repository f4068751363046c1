import { inputText, isWhole } from '@parley/presentation/items/item-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ConversationId, QueuedMessage } from '@parley/protocol'
import { useState } from 'react'
import type { Ask } from '../link/ask.ts'
import { senderWords } from '../words/words.ts'

interface WaitingProps {
  readonly conversationId: ConversationId
  readonly message: QueuedMessage
  readonly isView: boolean
  readonly ask: Ask
}

/** A message that waits: it can be changed, and taken back. */
export function WaitingMessage({ conversationId, message, isView, ask }: WaitingProps) {
  const { messageId, when, content, by } = message
  const sender = senderWords(by)
  const [text, setText] = useState<string | null>(null)
  const takeBack = () => ask((client) => client.request('conversation/inbox/remove', { conversationId, messageId }))
  if (text !== null)
    return (
      <Edited
        text={text}
        onText={setText}
        onKeep={() =>
          ask(async (client) => {
            const edited = [{ type: 'text' as const, text }]
            await client.request('conversation/inbox/edit', { conversationId, messageId, content: edited })
            setText(null)
          })
        }
        onCancel={() => setText(null)}
      />
    )
  return (
    <li className="row wrap">
      <span className="badge">{[when === 'steer' ? 'next step' : 'next turn', sender].filter(Boolean).join(', ')}</span>
      <span className="grow">{shownText(message)}</span>
      {isView ? null : (
        <>
          {isEditable(message) ? (
            <button type="button" onClick={() => setText(inputText(content))}>
              Edit
            </button>
          ) : null}
          <button type="button" onClick={takeBack}>
            Take back
          </button>
        </>
      )}
    </li>
  )
}

interface EditedProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onKeep: () => void
  readonly onCancel: () => void
}

function Edited({ text, onText, onKeep, onCancel }: EditedProps) {
  return (
    <li className="edited">
      <textarea
        aria-label="Waiting message"
        value={text}
        rows={Math.min(6, text.split('\n').length)}
        onChange={(event) => onText(event.target.value)}
      />
      <div className="row">
        <button type="button" className="primary" disabled={text.trim() === ''} onClick={onKeep}>
          Keep
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </li>
  )
}

/** Returns false for a message with images, which an edit would drop, and for a text that lies in a file. */
function isEditable({ content }: QueuedMessage): boolean {
  return isWhole(content) && content.every(({ type }) => type === 'text')
}

function shownText({ content }: QueuedMessage): string {
  const images = content.filter(({ type }) => type === 'image').length
  const text = showEffects(inputText(content)).slice(0, 300)
  return images === 0 ? text : `${text} (${images === 1 ? 'an image' : `${images} images`})`
}
