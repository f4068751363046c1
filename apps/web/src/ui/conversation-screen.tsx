import type { Client } from '@parley/client/browser'
import { pendingApprovals } from '@parley/presentation/question/answers'
import { showEffects } from '@parley/presentation/text/control-characters'
import {
  type Approval,
  type ConversationId,
  type ConversationState,
  endedAccess,
  type Person,
  samePlace,
  shortIdOf,
} from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Ask } from '../link/ask.ts'
import type { Elsewhere } from '../link/followed-conversation.ts'
import { useConversation, useLinkState } from '../link/hooks.ts'
import type { PageLink } from '../link/link.ts'
import { fragmentOf } from '../link/page-secret.ts'
import { AboutConversation } from './about-conversation.tsx'
import { Composer } from './composer/composer.tsx'
import { ToEnd, useFollowedEnd } from './followed-end.tsx'
import { useForwards } from './forwards/use-forwards.tsx'
import { GuestBanner } from './people/guest-banner.tsx'
import { type May, mayIn, roleSentence } from './people/may.ts'
import { useProcesses } from './processes/use-processes.tsx'
import { Question } from './question/question.tsx'
import { useRemember } from './remember/remember-panel.tsx'
import { goTo } from './rewind/go-on-before.ts'
import { useRewind } from './rewind/use-rewind.tsx'
import { Search } from './search.tsx'
import { AccessContext, type EntryContext, type GoBack } from './transcript/access.ts'
import { Scrolling } from './transcript/scrolling.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { useItems } from './transcript/use-items.ts'
import { Working } from './working.tsx'

interface ScreenProps {
  readonly link: PageLink
  readonly conversationId: ConversationId
  readonly isReadOnly: boolean
  readonly onProblem: (problem: string) => void
}

/** Shows a conversation, live. */
export function ConversationScreen({ link, conversationId, isReadOnly, onProblem }: ScreenProps) {
  const { state, isView, isTakenAway, problem, elsewhere, refresh } = useConversation(link, conversationId)
  const linkState = useLinkState(link)
  const client = linkState.kind === 'up' ? linkState.client : null
  if (state === null)
    return (
      <main className="conversation">
        {link.person?.kind === 'guest' ? null : (
          <a className="back" href={fragmentOf(null)}>
            ‹ All conversations
          </a>
        )}
        <p className="opening" role="status">
          {problem ?? 'Opening …'}
        </p>
      </main>
    )
  const ask = (run: (client: Client) => Promise<unknown>) => {
    if (client === null) onProblem('There is no link to the server. Nothing was sent.')
    else run(client).catch((error: unknown) => onProblem(errorMessage(error)))
  }
  const { person } = link
  const may = mayIn(state, { person, isView: isView || isReadOnly, isTakenAway })
  return <Opened {...{ client, state, person, may, isTakenAway, elsewhere, refresh, ask, onProblem }} />
}

interface OpenedProps {
  readonly client: Client | null
  readonly state: ConversationState
  readonly person: Person | undefined
  readonly may: May
  readonly isTakenAway: boolean
  readonly elsewhere: Elsewhere | null
  readonly refresh: () => Promise<void>
  readonly ask: Ask
  readonly onProblem: (problem: string) => void
}

function Opened({ client, state, person, may, isTakenAway, elsewhere, refresh, ask, onProblem }: OpenedProps) {
  const { core } = state
  const isView = !may.edit
  const pending = pendingApprovals(state, { answeredApproval: null, opened: person === undefined ? null : { person } })
  const end = useFollowedEnd()
  const loaded = useItems(state, client)
  const rewind = useRewind(state)
  const { remember, panel: memory } = useRemember()
  const processes = useProcesses({ client, core, isView, ask })
  const forwards = useForwards({ core, isView, ask })
  const [isSearched, setSearched] = useState(false)
  const access = useTranscriptAccess({ client, core, isView, onProblem, goBack: rewind.goBack })
  useTitle(state, { isAsked: pending.length > 0, isStill: isTakenAway })
  return (
    <AccessContext value={access}>
      <main className="conversation">
        <Head {...{ core, may, ask, isSearched, setSearched }} isAlone={person?.kind === 'guest'} />
        {person?.kind === 'guest' ? <GuestBanner {...{ person, core }} /> : null}
        {isTakenAway ? <TakenAway {...{ core, person }} /> : null}
        {elsewhere === null ? null : <OpenElsewhere {...elsewhere} shortId={shortIdOf(core.meta.conversationId)} />}
        {isSearched ? <Search {...{ loaded, box: end.box, onProblem }} onClose={() => setSearched(false)} /> : null}
        <Scrolling className="scroll" label="What was said and done" ref={end.box}>
          <div ref={end.content}>
            <Transcript {...{ state, loaded, isUp: client !== null, onProblem }} />
          </div>
        </Scrolling>
        <ToEnd {...end} />
        <footer>
          {isTakenAway ? (
            <p className="muted">{endedAccess(person).why}</p>
          ) : (
            <Foot
              {...{ client, state, person, may, elsewhere, refresh, ask, onProblem, pending }}
              {...{ rewind, memory, remember, processes, forwards, onSend: end.goToEnd }}
            />
          )}
        </footer>
      </main>
    </AccessContext>
  )
}

interface FootProps extends Omit<OpenedProps, 'isTakenAway'> {
  readonly pending: readonly Approval[]
  readonly rewind: ReturnType<typeof useRewind>
  readonly memory: ReactNode
  readonly remember: (text: string) => void
  readonly processes: ReturnType<typeof useProcesses>
  readonly forwards: ReturnType<typeof useForwards>
  readonly onSend: () => void
}

/** Footer of a conversation: the turn and its question, and the composer where something may be written. */
function Foot({ client, state, person, may, elsewhere, pending, ask, processes, forwards, ...writing }: FootProps) {
  const { memory, rewind, refresh, onProblem, remember, onSend } = writing
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
          {approval === undefined ? (memory ?? rewind.panel) : null}
          <Composer
            {...{ client, state, refresh, goTo, ask, onProblem, remember, onSend }}
            goBack={rewind.goBack}
            openProcesses={processes.open}
            askToForward={forwards.askToForward}
            isHidden={approval !== undefined}
          />
        </>
      )}
    </>
  )
}

interface AccessOptions extends Pick<OpenedProps, 'client' | 'onProblem'>, Pick<ConversationState, 'core'> {
  readonly isView: boolean
  readonly goBack: GoBack
}

/** Returns what entries need of their conversation, the same as long as nothing of it changes. */
function useTranscriptAccess({
  client,
  core: { meta, settings },
  isView,
  onProblem,
  goBack,
}: AccessOptions): EntryContext {
  const { conversationId, cwd } = meta
  const { environment } = settings
  const place = useMemo(
    () => samePlace({ meta: { cwd }, settings: { ...(environment === undefined ? {} : { environment }) } }),
    [cwd, environment],
  )
  return useMemo(
    () => ({ client, conversationId, place, onProblem, goBack: isView || client === null ? null : goBack }),
    [client, conversationId, place, goBack, isView, onProblem],
  )
}

interface HeadProps extends Pick<ConversationState, 'core'>, Pick<OpenedProps, 'may' | 'ask'> {
  /** True for a page without a list. */
  readonly isAlone: boolean
  readonly isSearched: boolean
  readonly setSearched: (isSearched: boolean) => void
}

function Head({ core, may, ask, isAlone, isSearched, setSearched }: HeadProps) {
  const { conversationId } = core.meta
  const fork = () =>
    ask(async (client) => goTo((await client.request('conversation/fork', { conversationId })).conversationId))
  return (
    <header className="head">
      {isAlone ? null : (
        <a className="back" href={fragmentOf(null)} aria-label="All conversations">
          ‹
        </a>
      )}
      <AboutConversation core={core} />
      <button type="button" aria-pressed={isSearched} onClick={() => setSearched(!isSearched)}>
        Find
      </button>
      {!may.copy || core.seq === 0 ? null : (
        <button type="button" className="fork" onClick={fork} title="Go on in a copy of this conversation">
          Fork
        </button>
      )}
    </header>
  )
}

function whyOnlyRead(elsewhere: Elsewhere | null, role: string | null): string {
  return elsewhere === null ? (role ?? 'This page may only watch.') : 'A view of the log.'
}

function TakenAway({ core: { meta }, person }: Pick<ConversationState, 'core'> & Pick<OpenedProps, 'person'>) {
  const { whole, ask } = endedAccess(person, meta.access)
  return (
    <p className="banner" role="status">
      {whole} {ask === null ? null : person?.kind === 'user' ? `${ask}: this page goes on by itself then.` : `${ask}.`}
    </p>
  )
}

function OpenElsewhere({ page, shortId }: Elsewhere & { readonly shortId: string }) {
  return (
    <p className="banner" role="status">
      {page === null ? 'Another process' : 'Another server'} has this conversation open; here it is as it was a moment
      ago.{' '}
      {page === null ? (
        <>
          Run <code>parley web {shortId}</code> for a page that takes part.
        </>
      ) : (
        <>
          <a href={page}>Its page there</a> takes part.
        </>
      )}
    </p>
  )
}

interface Titled {
  readonly isAsked: boolean
  /** True for one that is shown as it was. */
  readonly isStill: boolean
}

/** Says in the title of the tab that a question waits, or that a turn runs. */
function useTitle({ core }: ConversationState, { isAsked, isStill }: Titled): void {
  const name = showEffects(core.meta.name ?? core.meta.title)
  const mark = isStill ? '' : isAsked ? '? ' : core.turn !== null ? '· ' : ''
  useEffect(() => {
    document.title = `${mark}${name === '' ? 'parley' : name}`
    return () => {
      document.title = 'parley'
    }
  }, [mark, name])
}
