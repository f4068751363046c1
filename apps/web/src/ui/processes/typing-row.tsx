import { newTypedLine, type ProcessInputKind, type SentText } from '@parley/presentation/processes/typed-line'
import type { ConversationId, ItemId } from '@parley/protocol'
import { useState } from 'react'
import type { Ask } from '../../link/ask.ts'

interface TypingProps {
  readonly conversationId: ConversationId
  readonly itemId: ItemId
  readonly ask: Ask
  readonly input: ProcessInputKind
  /** Newest line of the output; undefined before there is one. */
  readonly newest: string | undefined
}

/** Line to type into a process: hidden where it asks for a secret, with the keys that a terminal needs. */
export function TypingRow({ conversationId, itemId, ask, input, newest = '' }: TypingProps) {
  const [text, setText] = useState('')
  const [isShown, setShown] = useState<boolean | null>(null)
  const isHidden = isShown === null ? newTypedLine(newest).isHidden : !isShown
  const send = (sent: SentText) =>
    ask(async (client) => {
      await client.request('conversation/process/write', { conversationId, itemId, ...sent })
      setText('')
      setShown(null)
    })
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        send({ text, ...(isHidden && text !== '' ? { hidden: true } : {}) })
      }}
    >
      <input
        className="grow"
        type={isHidden ? 'password' : 'text'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        placeholder={isHidden ? 'Type into it; stored nowhere' : 'Type into it …'}
        aria-label="Type into it"
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit">Send</button>
      <button type="button" aria-pressed={isHidden} onClick={() => setShown(isHidden)}>
        Hidden
      </button>
      {input === 'terminal' ? (
        <button type="button" onClick={() => send({ text: '\u0003', enter: false })}>
          Ctrl+C
        </button>
      ) : null}
      <button
        type="button"
        onClick={() => send(input === 'terminal' ? { text: '\u0004', enter: false } : { close: true })}
      >
        {input === 'terminal' ? 'Ctrl+D' : 'End input'}
      </button>
    </form>
  )
}
