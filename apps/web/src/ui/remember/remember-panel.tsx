import { type MemoryPlace, memoryChoices } from '@parley/presentation/commands/memory-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ResultOf } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { type ReactNode, useEffect, useState } from 'react'
import { useAccess } from '../transcript/access.ts'
import { ChangedFile } from '../transcript/changed-file.tsx'

type Plan = ResultOf<'conversation/remember/plan'>

interface Remembering {
  /** Shows the line as it would be written. */
  readonly remember: (text: string) => void
  /** Panel to show above the composer; null while nothing is to be remembered. */
  readonly panel: ReactNode
}

/** Adds a line to an instruction file once it was seen. */
export function useRemember(): Remembering {
  const [text, setText] = useState<string | null>(null)
  const panel = text === null ? null : <RememberPanel key={text} text={text} onClose={() => setText(null)} />
  return { remember: setText, panel }
}

function RememberPanel({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const access = useAccess()
  const [where, setWhere] = useState<MemoryPlace>('project')
  const [plan, setPlan] = useState<Plan | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { client = null, conversationId } = access ?? {}
  useEffect(() => {
    if (client === null || conversationId === undefined) return undefined
    let isOver = false
    setPlan(null)
    client.request('conversation/remember/plan', { conversationId, text, where }).then(
      (planned) => isOver || setPlan(planned),
      (error: unknown) => isOver || setProblem(errorMessage(error)),
    )
    return () => {
      isOver = true
    }
  }, [client, conversationId, text, where])
  const write = () => {
    if (client === null || conversationId === undefined || plan === null) return
    client
      .request('conversation/remember', { conversationId, text, where, hash: plan.hash })
      .then(onClose, (error: unknown) => setProblem(errorMessage(error)))
  }
  const take = (key: 'write' | 'other') => (key === 'write' ? write() : setWhere(where === 'user' ? 'project' : 'user'))
  return (
    <section className="rewind" aria-label="Remember">
      <div className="row">
        <strong className="grow" role="status">
          {problem ?? (plan === null ? 'Looking …' : 'Remember it?')}
        </strong>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {plan?.changes.map((change) => (
        <ChangedFile key={change.path} change={change} isOpen />
      ))}
      {plan === null
        ? null
        : memoryChoices({ path: plan.path, where }).map(({ key, text: words, detail }) => (
            <button key={key} type="button" className="choice" onClick={() => take(key)}>
              <strong>{words}</strong> <span className="muted">{showEffects(detail)}</span>
            </button>
          ))}
    </section>
  )
}
