import type { Client } from '@parley/client/browser'
import { pendingApprovals } from '@parley/presentation/question/answers'
import { type ConversationId, type ConversationState, endedAccess, samePlace } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useConversation, useLinkState } from '../link/hooks.ts'
import type { PageLink } from '../link/link.ts'
import { fragmentOf } from '../link/page-secret.ts'
import { Foot, type FootProps, useFootPanels } from './conversation-foot.tsx'
import { Head, useTitle } from './conversation-head.tsx'
import { mayIn } from './people/may.ts'
import { useRewind } from './rewind/use-rewind.tsx'
import { Search } from './search.tsx'
import { AccessContext, type EntryContext, type GoBack } from './transcript/access.ts'
import { Scrolling } from './transcript/scrolling.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { useItems } from './transcript/use-items.ts'

interface ScreenProps {
  readonly link: PageLink
  readonly conversationId: ConversationId
  readonly isReadOnly: boolean
  readonly onProblem: (problem: string) => void
}

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

interface OpenedProps extends Omit<FootProps, 'pending' | 'rewind' | 'panels' | 'onSend'> {
  readonly isTakenAway: boolean
}

function Opened({ client, state, person, may, isTakenAway, elsewhere, refresh, ask, onProblem }: OpenedProps) {
  const { core } = state
  const isView = !may.edit
  const pending = pendingApprovals(state, person)
  const end = useFollowedEnd()
  const loaded = useItems(state, client)
  const rewind = useRewind(state)
  const panels = useFootPanels({ client, core, isView, ask })
  const [isSearched, setSearched] = useState(false)
  const access = useTranscriptAccess({ client, core, isView, onProblem, goBack: rewind.goBack })
  useTitle(state, { isAsked: pending.length > 0, isStill: isTakenAway })
  return (
    <AccessContext value={access}>
      <main className="conversation">
        <Head {...{ core, person, may, isTakenAway, elsewhere, ask, isSearched, setSearched }} />
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
              {...{ client, state, person, may, elsewhere, refresh, ask, onProblem, pending, rewind, panels }}
              onSend={end.goToEnd}
            />
          )}
        </footer>
      </main>
    </AccessContext>
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

/** Distance to the end in pixels within which a reader is at it. */
const nearEndPixels = 80

/** Box that keeps its end in view until its reader scrolls away from it. */
interface FollowedEnd {
  readonly box: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** False while the reader looks at something earlier. */
  readonly isAtEnd: boolean
  readonly goToEnd: () => void
}

/** Keeps the end of `box` in view while `content` or the box itself changes its size. */
function useFollowedEnd(): FollowedEnd {
  const box = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const goToEnd = useCallback(() => {
    follows.current = true
    setAtEnd(true)
    box.current?.scrollTo(0, box.current.scrollHeight)
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || content.current === null) return undefined
    let before = placeOf(element)
    const note = () => {
      const now = placeOf(element)
      const isNear = now.height - now.top - element.clientHeight < nearEndPixels
      // A layout that changes moves the end away, and also scrolls; only a reader scrolls up while nothing shrinks.
      const isLeft = now.top < before.top && now.height >= before.height
      if (isNear || isLeft) follows.current = isNear
      setAtEnd(follows.current)
      before = now
    }
    const follow = () => {
      if (follows.current) element.scrollTo(0, element.scrollHeight)
    }
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    observer.observe(content.current)
    element.addEventListener('scroll', note, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', note)
    }
  }, [])
  return { box, content, isAtEnd, goToEnd }
}

function placeOf({ scrollTop, scrollHeight }: HTMLElement) {
  return { top: scrollTop, height: scrollHeight }
}

/** Button over the end of the box, for a reader who has scrolled away. */
function ToEnd({ isAtEnd, goToEnd }: Pick<FollowedEnd, 'isAtEnd' | 'goToEnd'>) {
  return isAtEnd ? null : (
    <div className="to-end">
      <button type="button" onClick={goToEnd}>
        ↓ Newest
      </button>
    </div>
  )
}
