import { forwardQuestion } from '@parley/presentation/commands/forward-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ConversationCore } from '@parley/protocol'
import { type ReactNode, useState } from 'react'
import type { Ask } from '../../link/ask.ts'

interface ForwardsProps {
  readonly core: ConversationCore
  readonly isView: boolean
  readonly ask: Ask
}

interface Forwarding {
  /** Asks whether the browser may reach a port of the sandbox. */
  readonly askToForward: (port: number) => void
  /** Ports that it reaches, each with its address and the way to end it, and the question about another one. */
  readonly panel: ReactNode
}

/** Forwards ports of the sandbox after a yes, and lists and stops forwarded ones. */
export function useForwards({ core, isView, ask }: ForwardsProps): Forwarding {
  const [port, askToForward] = useState<number | null>(null)
  const { forwards = [], meta } = core
  const { conversationId } = meta
  const stop = (ended: number) =>
    ask((client) => client.request('conversation/forward/stop', { conversationId, port: ended }))
  const panel = (
    <>
      {forwards.length === 0 ? null : (
        <ul className="forwards" aria-label="Forwarded ports">
          {forwards.map(({ port: open, url }) => (
            <li key={open} className="row">
              <span className="grow">
                Port {open} of the sandbox:{' '}
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {url}
                </a>
              </span>
              {isView ? null : (
                <button type="button" onClick={() => stop(open)} aria-label={`Stop forwarding port ${open}`}>
                  Stop
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {port === null ? null : (
        <Question
          key={port}
          port={port}
          onNo={() => askToForward(null)}
          onYes={() => {
            askToForward(null)
            ask((client) => client.request('conversation/forward', { conversationId, port }))
          }}
        />
      )}
    </>
  )
  return { askToForward, panel }
}

interface QuestionProps {
  readonly port: number
  readonly onNo: () => void
  readonly onYes: () => void
}

/** Asks before a port is opened; a yes takes a second press, below its consequence. */
function Question({ port, onNo, onYes }: QuestionProps) {
  const [warning, setWarning] = useState<string | null>(null)
  const { title, choices } = forwardQuestion(port)
  const take = (choice: (typeof choices)[number]) => {
    if (choice.warning === null) onNo()
    else if (warning === null) setWarning(choice.warning)
    else onYes()
  }
  return (
    <section className="rewind" aria-label="Forward a port">
      <strong role="status">{title}</strong>
      {warning === null ? null : <p className="banner">{warning} Press again to open it.</p>}
      {choices.map((choice) => (
        <button key={choice.key} type="button" className="choice" onClick={() => take(choice)}>
          <strong>{choice.text}</strong> <span className="muted">{showEffects(choice.detail)}</span>
        </button>
      ))}
    </section>
  )
}
