import type { Core } from '@parley/protocol'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Ask } from '../link/ask.ts'

interface ComposerProps {
  readonly core: Core
  readonly ask: Ask
  /** True while a question stands in its place; the text is kept. */
  readonly isHidden: boolean
}

type When = 'now' | 'steer' | 'queue'

const maxRows = 10

/** Writes messages: at once, or while a turn runs for its next step or for the next turn. */
export function Composer({ core, ask, isHidden }: ComposerProps) {
  const [text, setText] = useState('')
  const [isSending, setSending] = useState(false)
  const messageId = useRef(crypto.randomUUID())
  const { conversationId } = core.meta
  const isRunning = core.turn !== null
  const isEmpty = text.trim() === ''

  const send = (when: When) => {
    if (isEmpty || isSending) return
    setSending(true)
    ask(async (client) => {
      try {
        // A repeat with the same id after a lost link is the same message.
        await client.request('conversation/sendMessage', {
          conversationId,
          input: [{ type: 'text', text }],
          messageId: messageId.current,
          when,
        })
        messageId.current = crypto.randomUUID()
        setText('')
      } finally {
        setSending(false)
      }
    })
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isEnter = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
    // Where fingers type, Enter is a new line: there is no Shift.
    if (!isEnter || matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    send(isRunning ? 'steer' : 'now')
  }
  return (
    <form
      className="composer"
      hidden={isHidden}
      onSubmit={(event) => {
        event.preventDefault()
        send(isRunning ? 'steer' : 'now')
      }}
    >
      <textarea
        aria-label="Message"
        placeholder={isRunning ? 'Say something while it works' : 'Ask anything'}
        value={text}
        rows={Math.min(maxRows, Math.max(1, text.split('\n').length))}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <div className="row">
        <button type="submit" className="primary" disabled={isEmpty || isSending}>
          {isRunning ? 'Next step' : 'Send'}
        </button>
        {isRunning ? (
          <button type="button" disabled={isEmpty || isSending} onClick={() => send('queue')}>
            Next turn
          </button>
        ) : null}
      </div>
    </form>
  )
}
