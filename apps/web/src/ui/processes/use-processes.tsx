import type { Client } from '@parley/client/browser'
import { elapsed } from '@parley/presentation/items/turn-words'
import { visibleLine } from '@parley/presentation/text/control-characters'
import { countOf } from '@parley/presentation/text/formats'
import type { ConversationCore } from '@parley/protocol'
import { type ReactNode, useState } from 'react'
import type { Ask } from '../../link/ask.ts'
import { useSeconds } from '../../link/hooks.ts'
import { ProcessDialog, type ShownProcess } from './process-dialog.tsx'

interface ProcessesProps {
  readonly client: Client | null
  readonly core: ConversationCore
  readonly isView: boolean
  readonly ask: Ask
}

interface Processes {
  /** Shows the list of background commands. Returns false for an empty list. */
  readonly open: () => boolean
  /** Line and list of the background commands, and the output of one; null without commands. */
  readonly panel: ReactNode
}

/** Lists the commands of the model in the background, each with the way to its output. */
export function useProcesses({ client, core, isView, ask }: ProcessesProps): Processes {
  const { background = {}, meta } = core
  const [isOpen, setOpen] = useState(false)
  const [shown, setShown] = useState<ShownProcess | null>(null)
  const commands = Object.entries(background)
  const nowMs = useSeconds(isOpen && commands.length > 0)
  const list = (
    <details className="background" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{countOf(commands.length, 'command')} in the background</summary>
      <ul>
        {commands.map(([itemId, { title, startedAt }]) => (
          <li key={itemId}>
            <button type="button" className="choice" onClick={() => setShown({ itemId, title })}>
              <code>{visibleLine(title)}</code>{' '}
              <span className="muted">runs for {elapsed(Math.max(0, Math.floor((nowMs - startedAt) / 1_000)))}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
  return {
    open() {
      setOpen(commands.length > 0)
      return commands.length > 0
    },
    panel: (
      <>
        {commands.length === 0 ? null : list}
        {shown === null ? null : (
          <ProcessDialog
            key={shown.itemId}
            {...{ client, isView, ask, process: shown }}
            conversationId={meta.conversationId}
            onClose={() => setShown(null)}
          />
        )}
      </>
    ),
  }
}
