import type { Client } from '@parley/client/browser'
import type { ConversationId, ConversationState } from '@parley/protocol'
import { limitsWords, pendingApprovals, showEffects } from 'parley/page-rules'
import { useEffect, useRef } from 'react'
import type { Ask } from '../link/ask.ts'
import type { Link } from '../link/link.ts'
import { fragmentOf } from '../link/page-secret.ts'
import { errorWords, pathName, usageWords } from '../words/words.ts'
import { Composer } from './composer.tsx'
import { useConversation, useLinkState } from './hooks.ts'
import { Question } from './question/question.tsx'
import { Scrolling } from './transcript/scrolling.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { Working } from './working.tsx'

interface ScreenProps {
  readonly link: Link
  readonly conversationId: ConversationId
  readonly isReadOnly: boolean
  readonly onProblem: (problem: string) => void
}

/** Shows a conversation, live. */
export function ConversationScreen({ link, conversationId, isReadOnly, onProblem }: ScreenProps) {
  const { state, isView, problem, isElsewhere } = useConversation(link, conversationId)
  const linkState = useLinkState(link)
  const client = linkState.kind === 'up' ? linkState.client : null
  if (state === null)
    return (
      <main className="conversation">
        <a className="back" href={fragmentOf(null)}>
          ‹ All conversations
        </a>
        <p role="status">{problem ?? 'Opening …'}</p>
      </main>
    )
  const ask = (run: (client: Client) => Promise<unknown>) => {
    if (client === null) onProblem('There is no link to the server. Nothing was sent.')
    else run(client).catch((error: unknown) => onProblem(errorWords(error)))
  }
  return <Opened {...{ client, state, isView: isView || isReadOnly, isElsewhere, ask, onProblem }} />
}

interface OpenedProps {
  readonly client: Client | null
  readonly state: ConversationState
  readonly isView: boolean
  readonly isElsewhere: boolean
  readonly ask: Ask
  readonly onProblem: (problem: string) => void
}

function Opened({ client, state, isView, isElsewhere, ask, onProblem }: OpenedProps) {
  const { core } = state
  const pending = pendingApprovals(state, { answeredApproval: null })
  const [approval] = pending
  const end = useFollowedEnd(state)
  useTitle(state, approval !== undefined)
  return (
    <main className="conversation">
      <Head {...{ core, isView, ask }} />
      {isElsewhere ? <Elsewhere shortId={core.meta.conversationId.slice(-8)} /> : null}
      <Scrolling className="scroll" label="What was said and done" ref={end.box}>
        <Transcript {...{ state, client, isView, ask, onProblem }} />
        <div ref={end.mark} />
      </Scrolling>
      <footer>
        <Working {...{ state, isView, ask }} />
        {approval === undefined ? null : (
          <Question
            key={approval.id}
            {...{ approval, enforcement: core.settings.enforcement, waiting: pending.length, isView, ask }}
            conversationId={core.meta.conversationId}
          />
        )}
        {isView ? (
          <p className="muted">{isElsewhere ? 'A view of the log.' : 'This page may only watch.'}</p>
        ) : (
          <Composer {...{ core, ask }} isHidden={approval !== undefined} />
        )}
      </footer>
    </main>
  )
}

function Head({
  core,
  isView,
  ask,
}: {
  readonly core: ConversationState['core']
  readonly isView: boolean
  readonly ask: Ask
}) {
  const { meta, settings, usage } = core
  const fork = () =>
    ask(async (client) => {
      const copy = await client.request('conversation/fork', { conversationId: meta.conversationId })
      location.hash = fragmentOf(copy.conversationId)
    })
  const isOpen = settings.sandbox === 'danger-full-access' || settings.approvalPolicy === 'never'
  return (
    <header className="head">
      <a className="back" href={fragmentOf(null)} aria-label="All conversations">
        ‹
      </a>
      <div className="about">
        <h2>{showEffects(meta.name ?? (meta.title || 'New conversation'))}</h2>
        <p className="muted">
          <span>{showEffects(settings.model)}</span> · <span title={meta.cwd}>{showEffects(pathName(meta.cwd))}</span> ·{' '}
          <span className={isOpen ? 't-bad' : ''}>{limitsWords(settings)}</span>
          {usageWords(usage) === '' ? '' : ` · ${usageWords(usage)}`}
        </p>
      </div>
      {isView || core.seq === 0 ? null : (
        <button type="button" onClick={fork} title="Begin a copy of this conversation">
          Fork
        </button>
      )}
    </header>
  )
}

function Elsewhere({ shortId }: { readonly shortId: string }) {
  return (
    <p className="banner" role="status">
      Another process has this conversation open; here it is as it was a moment ago. Run{' '}
      <code>parley web {shortId}</code> for a page that takes part.
    </p>
  )
}

/** Keeps the end in view while new items come, unless the reader has scrolled away from it. */
function useFollowedEnd(state: ConversationState) {
  const box = useRef<HTMLElement>(null)
  const mark = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const note = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPixels
    }
    element.addEventListener('scroll', note, { passive: true })
    return () => element.removeEventListener('scroll', note)
  }, [])
  useEffect(() => {
    if (isAtEnd.current) mark.current?.scrollIntoView({ block: 'end' })
  }, [state])
  return { box, mark }
}

const nearEndPixels = 80

/** Says in the title of the tab that a question waits, or that a turn runs. */
function useTitle({ core }: ConversationState, isAsked: boolean): void {
  const name = showEffects(core.meta.name ?? core.meta.title)
  const mark = isAsked ? '? ' : core.turn !== null ? '· ' : ''
  useEffect(() => {
    document.title = `${mark}${name === '' ? 'parley' : name}`
    return () => {
      document.title = 'parley'
    }
  }, [mark, name])
}
