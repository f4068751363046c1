import type { Client } from '@parley/client/browser'
import type { Approval, ConversationState, Person } from '@parley/protocol'
import type { Ask } from '../link/ask.ts'
import type { Elsewhere } from '../link/followed-conversation.ts'
import { Composer } from './composer/composer.tsx'
import { useForwards } from './forwards/use-forwards.tsx'
import { type May, roleSentence } from './people/may.ts'
import { useProcesses } from './processes/use-processes.tsx'
import { Question } from './question/question.tsx'
import { useRemember } from './remember/remember-panel.tsx'
import { goTo } from './rewind/go-on-before.ts'
import type { useRewind } from './rewind/use-rewind.tsx'
import { Working } from './working.tsx'

export interface FootProps {
  readonly client: Client | null
  readonly state: ConversationState
  readonly person: Person | undefined
  readonly may: May
  readonly elsewhere: Elsewhere | null
  readonly refresh: () => Promise<void>
  readonly ask: Ask
  readonly onProblem: (problem: string) => void
  readonly pending: readonly Approval[]
  readonly rewind: ReturnType<typeof useRewind>
  readonly panels: FootPanels
  readonly onSend: () => void
}

interface FootPanels {
  readonly memory: ReturnType<typeof useRemember>
  readonly processes: ReturnType<typeof useProcesses>
  readonly forwards: ReturnType<typeof useForwards>
}

interface PanelOptions extends Pick<FootProps, 'client' | 'ask'>, Pick<ConversationState, 'core'> {
  readonly isView: boolean
}

/** Returns the panels above the composer: background commands, forwarded ports and lines to remember. */
export function useFootPanels(options: PanelOptions): FootPanels {
  return { memory: useRemember(), processes: useProcesses(options), forwards: useForwards(options) }
}

/** Footer of a conversation: the turn and its question, and the composer where something may be written. */
export function Foot({ client, state, person, may, elsewhere, pending, ask, panels, rewind, ...writing }: FootProps) {
  const { refresh, onProblem, onSend } = writing
  const { memory, processes, forwards } = panels
  const { core } = state
  const isView = !may.edit
  const [approval] = pending
  return (
    <>
      <Working {...{ state, isView, ask }} />
      {processes.panel}
      {forwards.panel}
      {approval === undefined ? null : (
        <Question
          key={approval.id}
          {...{ approval, enforcement: core.settings.enforcement, waiting: pending.length, ask }}
          isView={!may.answer}
          conversationId={core.meta.conversationId}
        />
      )}
      {isView ? (
        <p className="muted">{whyOnlyRead(elsewhere, roleSentence(person, state))}</p>
      ) : (
        <>
          {approval === undefined ? (memory.panel ?? rewind.panel) : null}
          <Composer
            {...{ client, state, refresh, ask, onProblem, onSend }}
            page={{
              goTo,
              goBack: rewind.goBack,
              remember: memory.remember,
              openProcesses: processes.open,
              askToForward: forwards.askToForward,
            }}
            isHidden={approval !== undefined}
          />
        </>
      )}
    </>
  )
}

function whyOnlyRead(elsewhere: Elsewhere | null, role: string | null): string {
  return elsewhere === null ? (role ?? 'This page may only watch.') : 'A view of the log.'
}
